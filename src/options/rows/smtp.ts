/** What the SMTP server accepts. */
export const smtpRows = {
  /** `required` refuses mail without AUTH PLAIN or LOGIN; the password is an API key. Default: `optional`. */
  smtpAuth: {
    kind: 'choice',
    values: ['optional', 'required'],
    default: 'optional',
    flag: 'smtp-auth',
    often: true,
    help: 'Whether SMTP clients must log in; the password is an API key',
  },
  /**
   * SMTP port with implicit TLS (`smtps://`); 0 takes a free port. It uses the certificate of `smtpTls` or `tls`, else
   * one that Localpost makes; `smtps.tls.ca` is then the CA to trust. Default: none.
   */
  smtpsPort: {
    kind: 'port',
    default: null,
    flag: 'smtps-port',
    help: 'SMTP port with implicit TLS; 0 takes a free port (default: none)',
  },
  /**
   * Offers STARTTLS: true with a certificate that Localpost makes (`smtp.tls.ca` is then the CA to trust), `{ key, cert }`
   * with your own in PEM. Default: false, or the certificate of `tls`.
   */
  smtpTls: {
    kind: 'switchOrCertificate',
    default: false,
    flag: 'smtp-tls',
    often: true,
    help: 'Offer STARTTLS with a certificate that Localpost makes; localpost ca prints the file to trust',
  },
  /**
   * Refuses recipients over SMTP that a rule or the simulator rejects, instead of accepting the mail and recording a
   * bounce. Default: false.
   */
  rejectSubmissions: {
    kind: 'switch',
    default: false,
    flag: 'reject-submissions',
    help: 'Refuse recipients over SMTP that a rule rejects, instead of accepting the mail and recording a bounce',
  },
  /** Host name in the SMTP greeting and in EHLO. Default: `localhost`. */
  hostname: { kind: 'hostname', default: 'localhost', help: 'Host name in the SMTP greeting and in EHLO' },
} as const
