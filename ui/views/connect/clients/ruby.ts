import { type Client, isEncrypted, lines, mail, type Place, single } from '../place.ts'

const settings = (place: Place): string => {
  const { host, port, login, tls, ca } = place
  return lines(
    `  address: ${single(host)},`,
    `  port: ${port},`,
    tls === 'implicit' && `  tls: true,`,
    tls === 'starttls' && `  enable_starttls: true,`,
    tls === 'refused' && `  enable_starttls_auto: false,`,
    isEncrypted(place) && `  openssl_verify_mode: 'peer',`,
    isEncrypted(place) && ca !== null && `  ca_file: ${single(ca)},`,
    login && `  user_name: ${single(login.user)},`,
    login && `  password: ${single(login.password)},`,
    login && `  authentication: :plain,`,
  )
}

const notes = {
  implicit: 'replace `enable_starttls: true` by `tls: true`',
  refused: 'set `enable_starttls_auto: false` (mail 2.8 and later)',
}

/** Clients for Ruby. */
export const rubyClients: readonly Client[] = [
  {
    name: 'Ruby: mail',
    language: 'ruby',
    where: null,
    code: (place) =>
      lines(
        `require 'mail'`,
        '',
        `settings = {`,
        settings(place),
        `}`,
        `Mail.defaults { delivery_method :smtp, settings }`,
        `Mail.deliver do`,
        `  from ${single(mail.from)}`,
        `  to ${single(mail.to)}`,
        `  subject 'From Ruby'`,
        `  body ${single(mail.text)}`,
        `end`,
      ),
    notes,
  },
  {
    name: 'Rails',
    language: 'ruby',
    where: 'In `config/environments/development.rb`:',
    code: (place) =>
      lines(
        `config.action_mailer.delivery_method = :smtp`,
        `config.action_mailer.smtp_settings = {`,
        settings(place),
        `}`,
      ),
    notes,
  },
]
