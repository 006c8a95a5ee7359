import { httpUrlMistakes, type ReadConfig } from '../config.ts';

/** Settings of an S3-compatible store. */
export interface S3Config {
  readonly bucket: string;
  /** URL of the server; AWS by default. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  /** Prefix of all names; empty, or with a slash at its end. */
  readonly prefix: string;
  /** By default the client's own: environment, files, web identity, metadata of the machine. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

/** The variables of an object store. */
export interface S3Environment {
  SVC_S3_BUCKET?: string;
  SVC_S3_ENDPOINT?: string;
  SVC_S3_REGION: string;
  SVC_S3_PREFIX: string;
  SVC_S3_ACCESS_KEY_ID: string;
  SVC_S3_SECRET_ACCESS_KEY: string;
}

/** Reads the settings of an object store; undefined without one. */
export function readS3(env: S3Environment, blame: ReadConfig<S3Environment>['blame']): S3Config | undefined {
  const { SVC_S3_BUCKET: bucket, SVC_S3_ENDPOINT: endpoint, SVC_S3_REGION: region, SVC_S3_PREFIX: prefix } = env;
  const { SVC_S3_ACCESS_KEY_ID: accessKeyId, SVC_S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  blame('SVC_S3_ENDPOINT', httpUrlMistakes(endpoint));
  if (accessKeyId && !secretAccessKey) blame('SVC_S3_SECRET_ACCESS_KEY', ['is missing']);
  if (secretAccessKey && !accessKeyId) blame('SVC_S3_ACCESS_KEY_ID', ['is missing']);
  if (bucket === undefined) {
    if (endpoint || prefix || accessKeyId)
      blame('SVC_S3_BUCKET', ['is missing, though other settings of it are there']);
    return undefined;
  }
  const credentials = accessKeyId ? { accessKeyId, secretAccessKey } : undefined;
  return { bucket, endpoint, region, prefix, credentials };
}
