/** Configuration of nginx as a proxy as plain as can be, before replicas of which some may still be to come. */
export function proxyConfig(port: number, upstreams: readonly number[], prefix: string): string {
  return `
pid ${prefix}/pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${prefix}/body;
  proxy_temp_path ${prefix}/proxy;
  fastcgi_temp_path ${prefix}/fastcgi;
  uwsgi_temp_path ${prefix}/uwsgi;
  scgi_temp_path ${prefix}/scgi;
  client_max_body_size 0;
  upstream docbuilder {
    least_conn;
    ${upstreams.map((upstream) => `server 127.0.0.1:${upstream} max_fails=0;`).join('\n    ')}
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://docbuilder;
      proxy_set_header Host $http_host;
      proxy_request_buffering off;
      proxy_http_version 1.1;
    }
  }
}`;
}
