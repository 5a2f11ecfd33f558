import com.google.gson.Gson;
import com.google.gson.reflect.TypeToken;
import jakarta.activation.DataHandler;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeBodyPart;
import jakarta.mail.internet.MimeMultipart;
import jakarta.mail.util.ByteArrayDataSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.simplejavamail.api.email.CalendarMethod;
import org.simplejavamail.api.mailer.config.TransportStrategy;
import org.simplejavamail.email.EmailBuilder;
import org.simplejavamail.mailer.MailerBuilder;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.mail.javamail.JavaMailSenderImpl;
import org.springframework.mail.javamail.MimeMessageHelper;

/** Sends each kind of mail with Spring and Angus Mail, or with Simple Java Mail. */
public class Send {
  record Kind(String subject, String from, List<String> to, String text, String html, String calendar,
      List<List<String>> inline, List<List<String>> attachments) {}

  static final Map<String, String> env = System.getenv();
  static final int port = Integer.parseInt(env.get("PORT"));
  static final String way = env.get("WAY");
  static final String auth = env.get("AUTH");

  static byte[] read(String path) throws Exception {
    return Files.readAllBytes(Path.of(path));
  }

  static <T> List<T> listed(List<T> list) {
    return list == null ? List.of() : list;
  }

  static JavaMailSenderImpl sender() {
    var sender = new JavaMailSenderImpl();
    sender.setHost("127.0.0.1");
    sender.setPort(port);
    sender.setDefaultEncoding("UTF-8");
    var protocol = way.equals("smtps") ? "smtps" : "smtp";
    sender.setProtocol(protocol);
    var properties = sender.getJavaMailProperties();
    properties.put("mail.mime.allowutf8", "true");
    properties.put("mail." + protocol + ".ssl.trust", "*");
    properties.put("mail." + protocol + ".ssl.checkserveridentity", "false");
    properties.put("mail.smtp.starttls.enable", String.valueOf(way.equals("starttls")));
    properties.put("mail.smtp.starttls.required", String.valueOf(way.equals("starttls")));
    properties.put("mail." + protocol + ".auth", String.valueOf(!auth.isEmpty()));
    if (!auth.isEmpty()) {
      properties.put("mail." + protocol + ".auth.mechanisms", auth);
      sender.setUsername("u");
      sender.setPassword(env.get("PASSWORD"));
    }
    // As Keycloak sets them.
    if (env.get("SETUP").startsWith("keycloak")) properties.putAll(Map.of(
        "mail.smtp.timeout", "10000", "mail.smtp.connectiontimeout", "10000", "mail.smtp.from", "bounce@acme.test",
        "mail.smtp.dsn.notify", "SUCCESS,FAILURE", "mail.smtp.dsn.ret", "HDRS",
        "mail.smtp.allow8bitmime", "true", "mail.smtp.sendpartial", "true"));
    return sender;
  }

  static void spring(JavaMailSenderImpl sender, String subject, String name, Kind kind) throws Exception {
    var message = sender.createMimeMessage();
    var isMultipart = kind.html != null || kind.attachments != null;
    var helper = new MimeMessageHelper(message, isMultipart, "UTF-8");
    helper.setFrom(new InternetAddress(kind.from, false));
    var to = new InternetAddress[kind.to.size()];
    for (int index = 0; index < to.length; index++) to[index] = new InternetAddress(kind.to.get(index), false);
    helper.setTo(to);
    helper.setSubject(subject);
    if (kind.calendar != null) {
      var text = new MimeBodyPart();
      text.setText(kind.text, "UTF-8");
      var invitation = new MimeBodyPart();
      var type = "text/calendar; charset=UTF-8; method=REQUEST";
      invitation.setDataHandler(new DataHandler(new ByteArrayDataSource(read(kind.calendar), type)));
      message.setContent(new MimeMultipart("alternative", text, invitation));
    } else if (kind.html != null) helper.setText(kind.text, kind.html);
    else helper.setText(kind.text);
    if (name.equals("eightbit")) message.setHeader("Content-Transfer-Encoding", "8bit");
    for (var file : listed(kind.inline)) helper.addInline(file.get(0), new ByteArrayResource(read(file.get(1))), file.get(2));
    for (var file : listed(kind.attachments)) helper.addAttachment(file.get(0), new ByteArrayResource(read(file.get(1))), file.get(2));
    sender.send(message);
  }

  static void simpleJavaMail(String subject, Kind kind) throws Exception {
    var email = EmailBuilder.startingBlank().from(kind.from).withSubject(subject).withPlainText(kind.text);
    for (var to : kind.to) email = email.to(to.replaceAll(".*<(.*)>", "$1"));
    if (kind.html != null) email = email.withHTMLText(kind.html);
    for (var file : listed(kind.inline)) email = email.withEmbeddedImage(file.get(0), read(file.get(1)), file.get(2));
    for (var file : listed(kind.attachments)) email = email.withAttachment(file.get(0), read(file.get(1)), file.get(2));
    if (kind.calendar != null) email = email.withCalendarText(CalendarMethod.REQUEST, Files.readString(Path.of(kind.calendar)));
    MailerBuilder.withSMTPServer("127.0.0.1", port)
        .withProperty("mail.mime.allowutf8", "true")
        .withProperty("mail.smtp.starttls.enable", "false")
        .withTransportStrategy(TransportStrategy.SMTP)
        .clearEmailValidator()
        .buildMailer()
        .sendMail(email.buildEmail())
        .get();
  }

  public static void main(String[] arguments) throws Exception {
    System.setProperty("mail.mime.allowutf8", "true");
    Map<String, Kind> kinds = new Gson().fromJson(Files.readString(Path.of(env.get("KINDS"))), new TypeToken<Map<String, Kind>>() {}.getType());
    var setup = env.get("SETUP");
    for (var entry : kinds.entrySet()) {
      var subject = "[" + setup + "/" + entry.getKey() + "] " + entry.getValue().subject;
      try {
        if (setup.startsWith("simple-java-mail")) simpleJavaMail(subject, entry.getValue());
        else spring(sender(), subject, entry.getKey(), entry.getValue());
      } catch (Exception error) {
        System.out.println(entry.getKey() + "\t" + error.toString().replace("\n", " "));
      }
    }
    System.exit(0);
  }
}
