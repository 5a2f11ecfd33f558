import smtplib
import ssl

from mails import AUTH, HOST, PASSWORD, PORT, WAY, build, each

context = ssl._create_unverified_context()
server = smtplib.SMTP_SSL(HOST, PORT, context=context) if WAY == "smtps" else smtplib.SMTP(HOST, PORT)
if WAY == "starttls":
    server.starttls(context=context)
server.ehlo()
if AUTH:
    server.user, server.password = "u", PASSWORD
    server.auth(AUTH, getattr(server, f"auth_{AUTH.lower()}"))
each(lambda name, kind: server.send_message(build(name, kind)))
server.quit()
