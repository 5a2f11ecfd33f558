import { type Client, double, isEncrypted, lines, mail } from '../place.ts'

const message = (name: string): string =>
  lines(
    `message = EmailMessage()`,
    `message["From"] = ${double(mail.from)}`,
    `message["To"] = ${double(mail.to)}`,
    `message["Subject"] = ${double(`From ${name}`)}`,
    `message.set_content(${double(mail.text)})`,
  )

const context = (ca: string | null): string =>
  `ssl.create_default_context(${ca === null ? '' : `cafile=${double(ca)}`})`

const on = (is: boolean): string => (is ? 'True' : 'False')

/** Clients for Python. */
export const pythonClients: readonly Client[] = [
  {
    name: 'Python: smtplib',
    language: 'python',
    where: null,
    code: (place) => {
      const { host, port, login, tls, ca } = place
      const server = `${double(host)}, ${port}`
      return lines(
        `import smtplib`,
        isEncrypted(place) && `import ssl`,
        `from email.message import EmailMessage`,
        '',
        message('smtplib'),
        isEncrypted(place) && `context = ${context(ca)}`,
        tls === 'implicit'
          ? `with smtplib.SMTP_SSL(${server}, context=context) as smtp:`
          : `with smtplib.SMTP(${server}) as smtp:`,
        tls === 'starttls' && `    smtp.starttls(context=context)`,
        login && `    smtp.login(${double(login.user)}, ${double(login.password)})`,
        `    smtp.send_message(message)`,
      )
    },
    notes: {
      implicit:
        'replace `smtplib.SMTP` by `smtplib.SMTP_SSL`, with `context=context`, and leave out `starttls`',
      refused: 'smtplib uses TLS only where the program says so',
    },
  },
  {
    name: 'Python: aiosmtplib',
    language: 'python',
    where: null,
    code: (place) => {
      const { host, port, login, tls, ca } = place
      return lines(
        `import asyncio`,
        isEncrypted(place) && `import ssl`,
        `from email.message import EmailMessage`,
        '',
        `import aiosmtplib`,
        '',
        message('aiosmtplib'),
        `asyncio.run(`,
        `    aiosmtplib.send(`,
        `        message,`,
        `        hostname=${double(host)},`,
        `        port=${port},`,
        tls === 'implicit' && `        use_tls=True,`,
        tls === 'starttls' && `        start_tls=True,`,
        tls === 'refused' && `        start_tls=False,`,
        isEncrypted(place) && `        tls_context=${context(ca)},`,
        login && `        username=${double(login.user)},`,
        login && `        password=${double(login.password)},`,
        `    )`,
        `)`,
      )
    },
    notes: {
      implicit: 'replace `start_tls=True` by `use_tls=True`',
      refused: 'set `start_tls=False`',
    },
  },
  {
    name: 'Django',
    language: 'python',
    where: 'In `settings.py`:',
    code: (place) => {
      const { host, port, login, tls, ca } = place
      const trusts = isEncrypted(place) && ca !== null
      return lines(
        trusts && `import ssl`,
        trusts && '',
        trusts && `from django.core.mail.backends import smtp`,
        trusts && '',
        trusts && '',
        trusts && `class LocalpostBackend(smtp.EmailBackend):`,
        trusts && `    ssl_context = ${context(ca)}`,
        trusts && '',
        trusts && '',
        trusts
          ? `EMAIL_BACKEND = f"{__name__}.LocalpostBackend"`
          : `EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"`,
        `EMAIL_HOST = ${double(host)}`,
        `EMAIL_PORT = ${port}`,
        `EMAIL_USE_TLS = ${on(tls === 'starttls')}`,
        tls === 'implicit' && `EMAIL_USE_SSL = True`,
        login && `EMAIL_HOST_USER = ${double(login.user)}`,
        login && `EMAIL_HOST_PASSWORD = ${double(login.password)}`,
      )
    },
    notes: {
      implicit: 'set `EMAIL_USE_TLS = False` and `EMAIL_USE_SSL = True`',
      refused: '`EMAIL_USE_TLS = False`, the default',
    },
  },
]
