"""The mails that every set-up sends, and how each is sent: all programs in Python share this."""
import email.policy
import json
import os
from email.message import EmailMessage

HOST, PORT = "127.0.0.1", int(os.environ["PORT"])
WAY, AUTH = os.environ["WAY"], os.environ["AUTH"]
PASSWORD, SETUP = os.environ["PASSWORD"], os.environ["SETUP"]
with open(os.environ["KINDS"], encoding="utf-8") as file:
    KINDS = json.load(file)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def subject(name):
    return f"[{SETUP}/{name}] {KINDS[name]['subject']}"


def each(send):
    """Calls send(name, kind) for each kind; what it raises becomes a line of the output."""
    for name, kind in KINDS.items():
        try:
            send(name, kind)
        except Exception as error:
            print(f"{name}\t{error!r}".replace("\n", " "))


def build(name, kind, policy=email.policy.SMTP):
    message = EmailMessage(policy=policy)
    message["From"], message["To"], message["Subject"] = kind["from"], ", ".join(kind["to"]), subject(name)
    message.set_content(kind["text"], **({"cte": "8bit"} if name == "eightbit" else {}))
    if "html" in kind:
        message.add_alternative(kind["html"], subtype="html")
    for cid, path, kind_of in kind.get("inline", []):
        message.get_payload()[1].add_related(read(path), *kind_of.split("/"), cid=f"<{cid}>")
    for filename, path, kind_of in kind.get("attachments", []):
        main, sub = kind_of.split("/")
        message.add_attachment(read(path), maintype=main, subtype=sub, filename=filename)
    if "calendar" in kind:
        text = read(kind["calendar"]).decode()
        message.add_alternative(text, subtype="calendar", params={"method": "REQUEST"})
    return message
