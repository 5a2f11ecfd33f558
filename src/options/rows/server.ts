/** Ports, names and certificates of the servers. */
export const serverRows = {
  /** HTTP port of the page and the API; 0 takes a free port. Default: 8025. */
  port: {
    kind: 'port',
    default: 8025,
    command: true,
    flag: 'port',
    often: true,
    help: 'HTTP port of the page and the API; 0 takes a free port',
  },
  /** SMTP port; 0 takes a free port. Default: 0 (the command: 1025). */
  smtpPort: {
    kind: 'port',
    default: 0,
    commandDefault: 1025,
    flag: 'smtp-port',
    often: true,
    help: 'SMTP port; 0 takes a free port',
  },
  /** Address that the SMTP port binds; `listen` binds it too, unless it is given another. Default: `127.0.0.1`. */
  host: {
    kind: 'text',
    takes: 'an address such as 127.0.0.1',
    default: '127.0.0.1',
    // The command needs it for its HTTP port too.
    commandDefault: '127.0.0.1',
    flag: 'host',
    often: true,
    hint: 'address',
    help: 'Address to bind; 0.0.0.0 lets other machines connect',
  },
  /**
   * Host names that HTTP requests may use, beside loopback names and the bound address. Requests under these names
   * need an API key at `/dev`. Default: none.
   */
  allowHosts: {
    kind: 'texts',
    takes: 'an array of host names',
    each: 'a host name',
    default: [],
    flag: 'allow-host',
    hint: 'name',
    help: 'Host name to serve, in addition to localhost; repeatable',
  },
  /**
   * Base URL of tracking links, so that other devices can open them: `http://192.168.1.20:8025`. OpenID providers
   * redirect browsers to it. Its host is allowed as if `allowHosts` named it. Default: the URL of the listener.
   */
  publicUrl: {
    kind: 'url',
    default: null,
    flag: 'public-url',
    help: 'Base URL of tracking links, so that other devices can open them',
  },
  /**
   * Serves the page and the API over HTTPS, and uses the same certificate for SMTP: `{ key, cert }`, a private key and
   * its certificate in PEM, followed by the chain. Default: none, plain HTTP.
   */
  tls: { kind: 'certificate', default: null, help: 'Private key and certificate for HTTPS and SMTP' },
  /** A file with the certificate for HTTPS and SMTP in PEM, followed by the chain. Default: none. */
  tlsCert: {
    kind: 'file',
    takes: 'the path of a file with a certificate in PEM',
    default: null,
    command: true,
    flag: 'tls-cert',
    help: 'Certificate for HTTPS and SMTP in PEM, read again on SIGHUP; needs --tls-key',
  },
  /** A file with the private key of `tlsCert` in PEM. Default: none. */
  tlsKey: {
    kind: 'file',
    takes: 'the path of a file with a private key in PEM',
    default: null,
    command: true,
    flag: 'tls-key',
    help: 'Private key of the certificate in PEM',
  },
  /**
   * Addresses of reverse proxies, such as `10.1.0.0/16` or `127.0.0.1`. `X-Forwarded-For` and `X-Forwarded-Proto` are
   * trusted only from these. A forwarded request is never local. Default: none.
   */
  trustProxy: {
    kind: 'ranges',
    default: [],
    flag: 'trust-proxy',
    hint: 'cidr',
    help: 'Address or range of a reverse proxy whose X-Forwarded-For and X-Forwarded-Proto are trusted; repeatable',
  },
} as const
