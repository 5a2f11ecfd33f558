import { type Client, double, isEncrypted, lines, mail, shell } from '../place.ts'

const notes = {
  implicit: 'replace the two settings of `starttls` by `mail.smtp.ssl.enable`',
  refused: '`mail.smtp.starttls.enable` is off unless it is set',
}

/** Clients for Java. */
export const javaClients: readonly Client[] = [
  {
    name: 'Java: Jakarta Mail',
    language: 'java',
    where: null,
    code: (place) => {
      const { host, port, login, tls, ca } = place
      const trusts = isEncrypted(place) && ca !== null
      const set = (name: string, value: string): string =>
        `        settings.put("mail.smtp.${name}", ${value});`
      return lines(
        `import jakarta.mail.Message;`,
        `import jakarta.mail.Session;`,
        `import jakarta.mail.Transport;`,
        `import jakarta.mail.internet.InternetAddress;`,
        `import jakarta.mail.internet.MimeMessage;`,
        trusts && `import java.io.FileInputStream;`,
        trusts && `import java.security.KeyStore;`,
        trusts && `import java.security.cert.CertificateFactory;`,
        `import java.util.Properties;`,
        trusts && `import javax.net.ssl.SSLContext;`,
        trusts && `import javax.net.ssl.TrustManagerFactory;`,
        '',
        `class Send {`,
        `    public static void main(String[] args) throws Exception {`,
        `        var settings = new Properties();`,
        set('host', double(host)),
        set('port', double(String(port))),
        login && set('auth', '"true"'),
        tls === 'implicit' && set('ssl.enable', '"true"'),
        tls === 'starttls' && set('starttls.enable', '"true"'),
        tls === 'starttls' && set('starttls.required', '"true"'),
        tls === 'refused' && set('starttls.enable', '"false"'),
        trusts && set('ssl.socketFactory', `trusting(${double(ca)}).getSocketFactory()`),
        `        var message = new MimeMessage(Session.getInstance(settings));`,
        `        message.setFrom(new InternetAddress(${double(mail.from)}));`,
        `        message.setRecipients(Message.RecipientType.TO, ${double(mail.to)});`,
        `        message.setSubject("From Java");`,
        `        message.setText(${double(mail.text)});`,
        `        Transport.send(message${login ? `, ${double(login.user)}, ${double(login.password)}` : ''});`,
        `    }`,
        trusts && '',
        trusts && `    static SSLContext trusting(String file) throws Exception {`,
        trusts && `        var trusted = KeyStore.getInstance(KeyStore.getDefaultType());`,
        trusts && `        trusted.load(null);`,
        trusts && `        try (var ca = new FileInputStream(file)) {`,
        trusts &&
          `            trusted.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(ca));`,
        trusts && `        }`,
        trusts &&
          `        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());`,
        trusts && `        trust.init(trusted);`,
        trusts && `        var context = SSLContext.getInstance("TLS");`,
        trusts && `        context.init(null, trust.getTrustManagers(), null);`,
        trusts && `        return context;`,
        trusts && `    }`,
        `}`,
      )
    },
    notes,
  },
  {
    name: 'Spring Boot',
    language: 'properties',
    where: 'In `application.properties`:',
    code: (place) => {
      const { host, port, login, tls, ca } = place
      const trusts = isEncrypted(place) && ca !== null
      const property = (text: string): string => text.replaceAll('\\', '\\\\')
      const set = (name: string, value: string): string => `spring.mail.properties.mail.smtp.${name}=${value}`
      return lines(
        `spring.mail.host=${host}`,
        `spring.mail.port=${port}`,
        login && `spring.mail.username=${property(login.user)}`,
        login && `spring.mail.password=${property(login.password)}`,
        set('auth', String(login !== null)),
        tls !== 'implicit' && set('starttls.enable', String(tls === 'starttls')),
        tls === 'starttls' && set('starttls.required', 'true'),
        tls === 'implicit' && set('ssl.enable', 'true'),
        trusts && `spring.ssl.bundle.pem.localpost.truststore.certificate=file:${property(ca)}`,
        trusts && `spring.mail.ssl.bundle=localpost`,
        trusts && `spring.mail.ssl.enabled=${tls === 'implicit'}`,
      )
    },
    notes: {
      ...notes,
      trust: (ca) =>
        `The bundle needs Spring Boot 3.4. Before that, import the CA with \`keytool -importcert -alias localpost -file ${shell(ca)} -keystore localpost.p12\`, and start the app with \`-Djavax.net.ssl.trustStore=localpost.p12\``,
    },
  },
]
