import { address, type Client, double, isEncrypted, lines, mail, type Place } from '../place.ts'

const main = [
  `func main() {`,
  `	if err := send(); err != nil {`,
  `		log.Fatal(err)`,
  `	}`,
  `}`,
  '',
  `func send() error {`,
].join('\n')

const fails = (call: string): string => lines(`	if err := ${call}; err != nil {`, `		return err`, `	}`)
const gives = (call: string): string => lines(`	${call}`, `	if err != nil {`, `		return err`, `	}`)

/** The TLS configuration `config`. */
const config = ({ host, ca }: Place): string =>
  lines(
    ca !== null && gives(`ca, err := os.ReadFile(${double(ca)})`),
    ca !== null && `	roots := x509.NewCertPool()`,
    ca !== null && `	roots.AppendCertsFromPEM(ca)`,
    `	config := &tls.Config{ServerName: ${double(host)}${ca === null ? '' : ', RootCAs: roots'}}`,
  )

const imports = (place: Place, ...others: readonly string[]): string => {
  const isTls = isEncrypted(place)
  const trusts = isTls && place.ca !== null
  const standard = [
    ...(isTls ? ['crypto/tls'] : []),
    ...(trusts ? ['crypto/x509', 'os'] : []),
    ...others.filter((name) => !name.includes('.')),
    'log',
  ].sort()
  const rest = others.filter((name) => name.includes('.'))
  return lines(
    `import (`,
    ...standard.map((name) => `	"${name}"`),
    rest.length > 0 && '',
    ...rest.map((name) => `	"${name}"`),
    `)`,
  )
}

/** Clients for Go. */
export const goClients: readonly Client[] = [
  {
    name: 'Go: net/smtp',
    language: 'go',
    where: null,
    code: (place) => {
      const { login, host, tls } = place
      const header = `From: ${mail.from}\\r\\nTo: ${mail.to}\\r\\nSubject: From net/smtp\\r\\n\\r\\n`
      const message = `	message := []byte("${header}${mail.text}\\r\\n")`
      const auth =
        login && `smtp.PlainAuth("", ${double(login.user)}, ${double(login.password)}, ${double(host)})`
      const server = double(address(place))
      const recipients = `${double(mail.from)}, []string{${double(mail.to)}}`
      const start = lines('package main', '', imports(place, 'net/smtp'), '', main)
      if (tls === 'none')
        return lines(
          start,
          message,
          `	return smtp.SendMail(${server}, ${auth ?? 'nil'}, ${recipients}, message)`,
          `}`,
        )
      return lines(
        start,
        message,
        isEncrypted(place) && config(place),
        tls === 'implicit' && gives(`connection, err := tls.Dial("tcp", ${server}, config)`),
        tls === 'implicit'
          ? gives(`client, err := smtp.NewClient(connection, ${double(host)})`)
          : gives(`client, err := smtp.Dial(${server})`),
        `	defer client.Close()`,
        tls === 'starttls' && fails(`client.StartTLS(config)`),
        auth && fails(`client.Auth(${auth})`),
        fails(`client.Mail(${double(mail.from)})`),
        fails(`client.Rcpt(${double(mail.to)})`),
        gives(`data, err := client.Data()`),
        lines(`	if _, err := data.Write(message); err != nil {`, `		return err`, `	}`),
        fails(`data.Close()`),
        `	return client.Quit()`,
        `}`,
      )
    },
    notes: {
      implicit: 'connect with `tls.Dial`, and leave out `StartTLS`',
      refused:
        '`smtp.SendMail` uses STARTTLS wherever it is offered, so call `smtp.Dial`, `client.Mail`, `client.Rcpt` and `client.Data` as above, without `StartTLS`. Then `PlainAuth` logs in only at localhost',
    },
  },
  {
    name: 'Go: go-mail',
    language: 'go',
    where: null,
    code: (place) => {
      const { host, port, login, tls } = place
      const method = isEncrypted(place) ? 'mail.SMTPAuthPlain' : 'mail.SMTPAuthPlainNoEnc'
      return lines(
        'package main',
        '',
        imports(place, 'github.com/wneessen/go-mail'),
        '',
        main,
        `	message := mail.NewMsg()`,
        fails(`message.From(${double(mail.from)})`),
        fails(`message.To(${double(mail.to)})`),
        `	message.Subject("From go-mail")`,
        `	message.SetBodyString(mail.TypeTextPlain, ${double(mail.text)})`,
        isEncrypted(place) && config(place),
        `	client, err := mail.NewClient(`,
        `		${double(host)},`,
        `		mail.WithPort(${port}),`,
        tls === 'implicit' && `		mail.WithSSL(),`,
        tls === 'starttls' && `		mail.WithTLSPolicy(mail.TLSMandatory),`,
        !isEncrypted(place) && `		mail.WithTLSPolicy(mail.NoTLS),`,
        isEncrypted(place) && `		mail.WithTLSConfig(config),`,
        login && `		mail.WithSMTPAuth(${method}),`,
        login && `		mail.WithUsername(${double(login.user)}),`,
        login && `		mail.WithPassword(${double(login.password)}),`,
        `	)`,
        lines(`	if err != nil {`, `		return err`, `	}`),
        `	return client.DialAndSend(message)`,
        `}`,
      )
    },
    notes: {
      implicit: 'replace `WithTLSPolicy` by `mail.WithSSL()`',
      refused: 'set `mail.WithTLSPolicy(mail.NoTLS)`; without it, go-mail requires TLS',
    },
  },
]
