from redmail import EmailSender

from mails import HOST, PORT, each, read, subject

sender = EmailSender(host=HOST, port=PORT, use_starttls=False)


def send(name, kind):
    # It has no way to send an invitation, or an image with a Content-ID of ours.
    files = {filename: read(path) for filename, path, _ in kind.get("attachments", [])}
    sender.send(
        subject=subject(name), sender=kind["from"], receivers=kind["to"],
        text=kind["text"], html=kind.get("html"), **({"attachments": files} if files else {}),
    )


each(send)
