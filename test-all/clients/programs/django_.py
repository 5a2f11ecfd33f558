import ssl
from email.mime.image import MIMEImage

import django
from django.conf import settings

from mails import AUTH, HOST, PASSWORD, PORT, WAY, each, read, subject

settings.configure(EMAIL_HOST=HOST, EMAIL_PORT=PORT, USE_TZ=True)
django.setup()
from django.core.mail import EmailMultiAlternatives, get_connection  # noqa: E402

options = {"use_tls": WAY == "starttls", "use_ssl": WAY == "smtps"}
if AUTH:
    options |= {"username": "u", "password": PASSWORD}
connection = get_connection(**options)
connection.ssl_context = ssl._create_unverified_context()


def send(name, kind):
    message = EmailMultiAlternatives(
        subject(name), kind["text"], kind["from"], kind["to"], connection=connection
    )
    if "html" in kind:
        message.attach_alternative(kind["html"], "text/html")
    for cid, path, _ in kind.get("inline", []):
        image = MIMEImage(read(path))
        image["Content-ID"], image["Content-Disposition"] = f"<{cid}>", "inline"
        message.mixed_subtype = "related"
        message.attach(image)
    for filename, path, kind_of in kind.get("attachments", []):
        message.attach(filename, read(path), kind_of)
    if "calendar" in kind:
        message.attach_alternative(read(kind["calendar"]).decode(), "text/calendar; method=REQUEST")
    message.send()


each(send)
