import { httpClients, smtpClients } from '../ui/views/connect/clients.ts'
import type { Client, Place } from '../ui/views/connect/place.ts'

/** The default addresses, which the documentation shows. */
const place: Place = {
  base: 'http://127.0.0.1:8025',
  host: '127.0.0.1',
  port: 1025,
  key: '',
  login: null,
  tls: 'none',
  ca: null,
}

/** Writes docs/guides/frameworks.md from the clients that the page shows in Connect. */
export function renderFrameworksGuide(): string {
  return `# Other languages and frameworks

<!-- Written by \`npm run docs\` from ui/views/connect/clients.ts. -->

Start \`npx localpost\`, then point the app at \`127.0.0.1\`, port \`1025\`, without TLS and without a login. If a framework requires a
login, any user name and password will do. Mail is at <http://127.0.0.1:8025>. Its room Connect shows the code of this page with the
addresses, the login and the TLS of the running server.

With \`--smtp-auth required\`, clients must log in: the user name may be anything, and the password is an API key.

## TLS

| option | what it does |
|---|---|
| \`--smtp-tls\` | offers STARTTLS on the SMTP port. Many clients use it wherever it is offered |
| \`--smtps-port 1465\` | opens a port where TLS begins with the connection |
| \`--tls-cert\`, \`--tls-key\` | use your certificate, for HTTPS too |

Without a certificate of yours, Localpost makes one, and an authority (CA) that signs it. Clients that do not know the CA refuse the
certificate with an error such as "self-signed certificate in certificate chain" or "unable to verify the first certificate". \`localpost ca\` prints
the path of the CA file; below it is \`.localpost/ca.pem\`, as with the default data folder. On another machine, \`localpost ca\` with
\`LOCALPOST_URL\` and \`LOCALPOST_API_KEY\` saves it, and so does
\`curl --fail -H "Authorization: Bearer $LOCALPOST_API_KEY" http://<host>:8025/dev/ca.pem\`. It is the same after a restart only with a data folder.

A client trusts it in its code, as below, or by a variable of its process, without a change of the code:

| runtime | variable |
|---|---|
| Node | \`NODE_EXTRA_CA_CERTS=.localpost/ca.pem\`, in addition to the public CAs |
| Python, Ruby, PHP, and Go on Linux | \`SSL_CERT_FILE=.localpost/ca.pem\`, in place of the public CAs |

The certificate is for \`localhost\`, \`127.0.0.1\`, \`::1\` and the name that the option \`hostname\` of the configuration file sets, which clients on other machines must use.
${smtpClients.map(sectionOf).join('')}
## Without SMTP

Any language can send over the API, with the API key that the start printed:

${httpClients.map((client) => fence(client, place)).join('\n')}`
}

const ca = '.localpost/ca.pem'

function sectionOf(client: Client): string {
  const { name, where, notes } = client
  const withTls = fence(client, { ...place, tls: 'starttls', ca })
  const trust = notes?.trust === undefined ? '' : `\n${notes.trust(ca)}.\n`
  return `
## ${name}

${where === null ? '' : `${where}\n\n`}${fence(client, place)}
With STARTTLS:

${withTls}${trust}
- TLS from the first byte: ${notes?.implicit ?? ''}; the port is that of \`--smtps-port\`.
- Without TLS, where STARTTLS is offered: ${notes?.refused ?? ''}.
`
}

function fence({ language, code }: Client, at: Place): string {
  return `\`\`\`${language}\n${code(at)}\n\`\`\`\n`
}
