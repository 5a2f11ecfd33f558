/** Where Localpost connects to. */
export const outgoingRows = {
  /** URL of a real mail server (`smtp://` or `smtps://`) for releasing captured mail. Default: none. */
  relay: {
    kind: 'relay',
    default: null,
    flag: 'relay',
    often: true,
    help: 'Real mail server for releasing captured mail: smtp://user:password@host:587',
  },
  /** A file with the password of the user in the URL of `relay`. Default: none. */
  relayPasswordFile: {
    kind: 'file',
    takes: 'the path of a file with a password',
    default: null,
    command: true,
    flag: 'relay-password-file',
    help: 'File with the password of the user in the URL of --relay',
  },
  /**
   * Sends user and password to the relay without TLS too. Default: false, without TLS they are sent to loopback only.
   */
  relayInsecureAuth: {
    kind: 'switch',
    default: false,
    flag: 'relay-insecure-auth',
    help: 'Send user and password to the relay without TLS too',
  },
  /** Also delivers every email sent over the API through `relay`. Default: false. */
  relayAll: {
    kind: 'switch',
    default: false,
    flag: 'relay-all',
    help: 'Deliver every email sent over the API through the relay too',
  },
  /**
   * Destinations that attachments, webhooks and the relay may connect to although they are refused by default:
   * `10.0.0.0/8`, `10.1.2.3:8080`, `hooks.internal:9000`. Needed for loopback and private networks if other machines
   * reach the instance, and always for address ranges reserved for tests and documentation. Default: none.
   */
  allowOutgoing: {
    kind: 'destinations',
    default: [],
    flag: 'allow-outgoing',
    hint: 'destination',
    help: 'Private destination that attachments, webhooks and the relay may connect to when other machines reach this instance; repeatable',
  },
  /**
   * A collector of OpenTelemetry, to which spans of each mail are posted as OTLP over HTTP: `http://127.0.0.1:4318`.
   * Default: none; the library then gives its spans to the tracer provider that the app registered, if it has one.
   */
  otlpEndpoint: {
    kind: 'secretUrl',
    default: null,
    flag: 'otlp-endpoint',
    help: 'Collector of OpenTelemetry to post spans to, as OTLP over HTTP: http://127.0.0.1:4318',
  },
} as const
