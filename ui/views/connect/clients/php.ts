import { address, bracketed, type Client, isEncrypted, lines, mail, shell, single } from '../place.ts'

/** PHP's own setting; Symfony and Laravel have none. */
const cafile = (ca: string): string =>
  `PHP trusts the CA by its own setting: \`openssl.cafile=${ca}\` in \`php.ini\`, or \`php -d openssl.cafile=${shell(ca)}\``

/** A value in a file `.env`. */
const dotenv = (text: string): string => `"${text.replaceAll(/["\\$]/g, '\\$&')}"`

/** A part of a URL, also within a file `.env`. */
const urlPart = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)

/** Clients for PHP. */
export const phpClients: readonly Client[] = [
  {
    name: 'PHP: PHPMailer',
    language: 'php',
    where: null,
    code: (place) => {
      const { host, port, login, tls, ca } = place
      return lines(
        `<?php`,
        `require 'vendor/autoload.php';`,
        '',
        `use PHPMailer\\PHPMailer\\PHPMailer;`,
        '',
        `$mail = new PHPMailer(true);`,
        `$mail->isSMTP();`,
        `$mail->Host = ${single(bracketed(host))};`,
        `$mail->Port = ${port};`,
        tls === 'implicit' && `$mail->SMTPSecure = PHPMailer::ENCRYPTION_SMTPS;`,
        tls === 'starttls' && `$mail->SMTPSecure = PHPMailer::ENCRYPTION_STARTTLS;`,
        tls === 'refused' && `$mail->SMTPAutoTLS = false;`,
        isEncrypted(place) && ca !== null && `$mail->SMTPOptions = ['ssl' => ['cafile' => ${single(ca)}]];`,
        login && `$mail->SMTPAuth = true;`,
        login && `$mail->Username = ${single(login.user)};`,
        login && `$mail->Password = ${single(login.password)};`,
        `$mail->setFrom(${single(mail.from)});`,
        `$mail->addAddress(${single(mail.to)});`,
        `$mail->Subject = 'From PHPMailer';`,
        `$mail->Body = ${single(mail.text)};`,
        `$mail->send();`,
      )
    },
    notes: {
      implicit: 'replace `ENCRYPTION_STARTTLS` by `ENCRYPTION_SMTPS`',
      refused: 'set `$mail->SMTPAutoTLS = false`',
    },
  },
  {
    name: 'Symfony',
    language: 'ini',
    where: 'In `.env`:',
    code: (place) => {
      const { login, tls } = place
      const user = login ? `${urlPart(login.user)}:${urlPart(login.password)}@` : ''
      const scheme = tls === 'implicit' ? 'smtps' : 'smtp'
      return `MAILER_DSN=${scheme}://${user}${address(place)}${tls === 'refused' ? '?auto_tls=false' : ''}`
    },
    notes: {
      implicit: 'begin the DSN with `smtps://`',
      refused:
        'end the DSN with `?auto_tls=false` (Symfony 7.1 and later). It uses STARTTLS wherever that is offered',
      trust: cafile,
    },
  },
  {
    name: 'Laravel',
    language: 'ini',
    where: 'In `.env`:',
    code: ({ host, port, login, tls }) =>
      lines(
        `MAIL_MAILER=smtp`,
        `MAIL_SCHEME=${tls === 'implicit' ? 'smtps' : 'smtp'}`,
        `MAIL_HOST=${bracketed(host)}`,
        `MAIL_PORT=${port}`,
        `MAIL_USERNAME=${login ? dotenv(login.user) : 'null'}`,
        `MAIL_PASSWORD=${login ? dotenv(login.password) : 'null'}`,
        tls === 'refused' && `# Also add 'auto_tls' => false to the mailer "smtp" in config/mail.php.`,
      ),
    notes: {
      implicit: 'set `MAIL_SCHEME=smtps`',
      refused: "add `'auto_tls' => false` to the mailer `smtp` in `config/mail.php` (Laravel 11 and later)",
      trust: cafile,
    },
  },
]
