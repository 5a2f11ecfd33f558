from flask import Flask
from flask_mail import Mail, Message

from mails import HOST, PORT, each, read, subject

app = Flask("app")
app.config.update(MAIL_SERVER=HOST, MAIL_PORT=PORT)
mail = Mail(app)


def send(name, kind):
    message = Message(
        subject(name), sender=kind["from"], recipients=kind["to"], body=kind["text"], html=kind.get("html")
    )
    for cid, path, kind_of in kind.get("inline", []):
        message.attach("logo.png", kind_of, read(path), "inline", headers={"Content-ID": f"<{cid}>"})
    for filename, path, kind_of in kind.get("attachments", []):
        message.attach(filename, kind_of, read(path))
    if "calendar" in kind:
        message.alts = {"calendar; method=REQUEST": read(kind["calendar"]).decode()}
    mail.send(message)


with app.app_context():
    each(send)
