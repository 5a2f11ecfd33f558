/** Domains and their DNS records. */
export const domainsRows = {
  /** DNS servers, and the values of the DNS records of new domains. */
  dns: {
    kind: 'group',
    help: 'DNS servers, and the values of the DNS records of new domains',
    members: {
      /** DNS servers that domains are verified with: `127.0.0.1:5300`. Default: those of the machine. */
      servers: {
        kind: 'texts',
        takes: 'an array of addresses such as "127.0.0.1:5300"',
        each: 'an address such as 127.0.0.1:5300',
        default: null,
        flag: 'dns',
        hint: 'address',
        help: 'DNS server to verify domains with; repeatable',
      },
      /** Region in the MAIL FROM host. Default: `us-east-1`. */
      region: {
        kind: 'text',
        takes: 'a region such as "us-east-1"',
        default: 'us-east-1',
        help: 'Region in the MAIL FROM host of a new domain',
      },
      /** Value of the MX record. Default: `feedback-smtp.<region>.amazonses.com`. */
      feedbackHost: {
        kind: 'text',
        takes: 'a host name',
        default: null,
        help: 'Value of the MX record of a new domain',
      },
      /** Host in the SPF record. Default: `amazonses.com`. */
      spfInclude: {
        kind: 'text',
        takes: 'a host name',
        default: 'amazonses.com',
        help: 'Host in the SPF record of a new domain',
      },
      /** DKIM selector: the first label of the record's name. Default: `localpost`. */
      selector: {
        kind: 'label',
        default: 'localpost',
        help: 'DKIM selector: the first label of the name of the DKIM record',
      },
    },
  },
  /**
   * How often domains whose verification was started are looked up in DNS, in milliseconds. The result replaces a status
   * that was declared by hand. Default: never.
   */
  verifyIntervalMs: {
    kind: 'ms',
    min: 1,
    default: null,
    flag: 'verify-interval',
    help: 'How often to look domains up in DNS, such as 5m or 1h (default: never)',
  },
} as const
