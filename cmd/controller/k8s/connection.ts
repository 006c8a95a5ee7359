/** Where the API server is, and who we are to it. */
export interface Connection {
  /** Origin, with a base path where there is one, without a slash at its end. */
  readonly server: string;
  /** That leads to it. */
  readonly proxy?: URL | undefined;
  /** The namespace that the controller itself is in (or that the kubeconfig's context names). */
  readonly namespace: string;
  /** As they are now: tokens and authorities are rotated while the controller runs. Asked before each request. */
  credentials(): Promise<Credentials>;
}

export interface Credentials {
  /** `Authorization` header. */
  authorization?: string;
  /** PEM of the authorities that the server's certificate is checked against; absent: the system's. */
  ca?: string;
  /** PEM of a client certificate and its key. */
  cert?: string;
  key?: string;
  /** Name in the server's certificate where it is not the one in `server`. */
  servername?: string;
}
