import { address, type Client, double, isEncrypted, lines, mail, shell } from '../place.ts'

/** Clients for Rust, .NET and a shell. */
export const otherClients: readonly Client[] = [
  {
    name: 'Rust: lettre',
    language: 'rust',
    where: null,
    code: (place) => {
      const { host, port, login, tls, ca } = place
      const isTls = isEncrypted(place)
      const trusts = isTls && ca !== null
      const parameters = `TlsParameters::builder(${double(host)}.to_string())`
      return lines(
        login && `use lettre::transport::smtp::authentication::Credentials;`,
        isTls && `use lettre::transport::smtp::client::{${trusts ? 'Certificate, ' : ''}Tls, TlsParameters};`,
        `use lettre::{Message, SmtpTransport, Transport};`,
        '',
        `fn main() -> Result<(), Box<dyn std::error::Error>> {`,
        `    let message = Message::builder()`,
        `        .from(${double(mail.from)}.parse()?)`,
        `        .to(${double(mail.to)}.parse()?)`,
        `        .subject("From lettre")`,
        `        .body(String::from(${double(mail.text)}))?;`,
        trusts && `    let ca = Certificate::from_pem(&std::fs::read(${double(ca)})?)?;`,
        isTls && `    let tls = ${parameters}${trusts ? '.add_root_certificate(ca)' : ''}.build()?;`,
        `    let transport = SmtpTransport::builder_dangerous(${double(host)})`,
        `        .port(${port})`,
        tls === 'starttls' && `        .tls(Tls::Required(tls))`,
        tls === 'implicit' && `        .tls(Tls::Wrapper(tls))`,
        login &&
          `        .credentials(Credentials::new(${double(login.user)}.to_string(), ${double(login.password)}.to_string()))`,
        `        .build();`,
        `    transport.send(&message)?;`,
        `    Ok(())`,
        `}`,
      )
    },
    notes: {
      implicit: 'replace `Tls::Required` by `Tls::Wrapper`',
      refused: '`builder_dangerous` uses no TLS unless it is given one',
    },
  },
  {
    name: '.NET: MailKit',
    language: 'csharp',
    where: null,
    code: (place) => {
      const { host, port, login, tls, ca } = place
      const trusts = isEncrypted(place) && ca !== null
      const kind = tls === 'implicit' ? 'SslOnConnect' : tls === 'starttls' ? 'StartTls' : 'None'
      return lines(
        trusts && `using System.Security.Cryptography.X509Certificates;`,
        `using MailKit.Net.Smtp;`,
        `using MailKit.Security;`,
        `using MimeKit;`,
        '',
        `var message = new MimeMessage();`,
        `message.From.Add(MailboxAddress.Parse(${double(mail.from)}));`,
        `message.To.Add(MailboxAddress.Parse(${double(mail.to)}));`,
        `message.Subject = "From MailKit";`,
        `message.Body = new TextPart("plain") { Text = ${double(mail.text)} };`,
        '',
        `using var client = new SmtpClient();`,
        trusts && `client.CheckCertificateRevocation = false;`,
        trusts && `client.ServerCertificateValidationCallback = (_, certificate, chain, errors) =>`,
        trusts && `{`,
        trusts &&
          `    if (certificate is null || chain is null || errors.HasFlag(System.Net.Security.SslPolicyErrors.RemoteCertificateNameMismatch)) return false;`,
        trusts && `    chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;`,
        trusts &&
          `    chain.ChainPolicy.CustomTrustStore.Add(X509Certificate2.CreateFromPem(File.ReadAllText(${double(ca)})));`,
        trusts && `    return chain.Build(new X509Certificate2(certificate));`,
        trusts && `};`,
        `await client.ConnectAsync(${double(host)}, ${port}, SecureSocketOptions.${kind});`,
        login && `await client.AuthenticateAsync(${double(login.user)}, ${double(login.password)});`,
        `await client.SendAsync(message);`,
        `await client.DisconnectAsync(true);`,
      )
    },
    notes: {
      implicit: 'replace `StartTls` by `SslOnConnect`',
      refused: 'connect with `SecureSocketOptions.None`',
    },
  },
  {
    name: 'A shell: swaks',
    language: 'sh',
    where: null,
    code: (place) => {
      const { login, tls, ca } = place
      const parts = [
        `swaks --server ${shell(address(place))}`,
        `--from ${mail.from} --to ${mail.to}`,
        `--header 'Subject: From a shell' --silent`,
        ...(tls === 'starttls'
          ? ['--tls --tls-verify']
          : tls === 'implicit'
            ? ['--tls-on-connect --tls-verify']
            : []),
        ...(isEncrypted(place) && ca !== null ? [`--tls-ca-path ${shell(ca)}`] : []),
        ...(login
          ? [`--auth PLAIN --auth-user ${shell(login.user)} --auth-password ${shell(login.password)}`]
          : []),
      ]
      return parts.join(' \\\n  ')
    },
    notes: {
      implicit: 'replace `--tls` by `--tls-on-connect`',
      refused: 'swaks uses TLS only with such a flag',
    },
  },
]
