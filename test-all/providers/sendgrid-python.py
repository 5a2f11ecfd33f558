"""Runs SendGrid's SDK and django-anymail against a Localpost server, and anymail's webhook view on what it posts: each line of the output is one result."""

import http.server
import json
import os
import threading
import warnings

import django
from django.conf import settings
from python_http_client.exceptions import HTTPError
from sendgrid import SendGridAPIClient
from sendgrid.helpers.eventwebhook import EventWebhook
from sendgrid.helpers.mail import (
    Attachment,
    Category,
    Content,
    CustomArg,
    Mail,
    Personalization,
    To,
)

warnings.simplefilter("ignore")
url, key = os.environ["SENDGRID_URL"], os.environ["LOCALPOST_API_KEY"]
client = SendGridAPIClient(key, host=url)


def show(name, value):
    print(json.dumps([name, value]), flush=True)


def sdk():
    mail = Mail("hi@acme.test", subject="Python")
    for address in ["ada@example.com", "bob@example.com"]:
        person = Personalization()
        person.add_to(To(address))
        person.add_custom_arg(CustomArg("user", address))
        mail.add_personalization(person)
    mail.add_content(Content("text/plain", "It works."))
    mail.add_content(Content("text/html", "<p>It works.</p>"))
    mail.add_attachment(Attachment("YQ==", "a.txt", "text/plain", "attachment"))
    mail.category = Category("welcome")
    sent = client.send(mail)
    try:
        client.send({**mail.get(), "personalizations": [{"to": [{"email": "nobody"}]}]})
        refused = "none"
    except HTTPError as error:
        refused = [error.status_code, error.to_dict["errors"][0]["field"]]
    scopes = client.client.scopes.get().to_dict["scopes"]
    show("sdk", [sent.status_code, len(sent.headers["X-Message-Id"]), refused, "mail.send" in scopes])


def anymail():
    settings.configure(
        EMAIL_BACKEND="anymail.backends.sendgrid.EmailBackend",
        ANYMAIL={
            "SENDGRID_API_KEY": key,
            "SENDGRID_API_URL": f"{url}/v3/",
            "SENDGRID_MERGE_FIELD_FORMAT": "-{}-",
        },
        ALLOWED_HOSTS=["*"],
    )
    django.setup()
    from anymail.signals import tracking
    from anymail.webhooks.sendgrid import SendGridTrackingWebhookView
    from django.core.mail import EmailMultiAlternatives
    from django.test import RequestFactory

    posted = []
    arrived = threading.Semaphore(0)

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            posted.append((self.headers, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()
            arrived.release()

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    hooks = client.client.user.webhooks.event.settings
    wanted = {"url": f"http://127.0.0.1:{server.server_port}/", "enabled": True, "bounce": True, "delivered": True}
    hook = hooks.post(request_body=wanted).to_dict["id"]
    public_key = hooks.signed._(hook).get().to_dict["public_key"]

    mail = EmailMultiAlternatives("Django", "Hi -name-", "Acme <hi@acme.test>", ["Ada <ada@example.com>"])
    mail.attach_alternative("<p>Hi -name-</p>", "text/html")
    mail.attach("a.txt", "text", "text/plain")
    mail.to.append("bounce@simulator.localpost")
    mail.merge_data = {"ada@example.com": {"name": "Ada"}, "bounce@simulator.localpost": {"name": "Nobody"}}
    mail.metadata = {"order": 17}
    mail.tags = ["welcome"]
    mail.track_opens = False
    mail.reply_to = ["help@acme.test"]
    mail.extra_headers = {"X-Order": 17}
    mail.send()
    for _ in range(2):
        arrived.acquire(timeout=60)
    server.shutdown()
    ids = {address: status.message_id for address, status in mail.anymail_status.recipients.items()}

    seen = []

    def on_event(event, **_):
        seen.append(
            [event.event_type, event.recipient, event.tags, event.metadata, event.message_id == ids[event.recipient]]
        )

    tracking.connect(on_event, weak=False)
    view = SendGridTrackingWebhookView.as_view(tracking_webhook_verification_key=public_key)
    names = ["X-Twilio-Email-Event-Webhook-Signature", "X-Twilio-Email-Event-Webhook-Timestamp"]
    codes, verified = [], []
    for headers, body in posted:
        given = {name: headers[name] for name in names}
        request = RequestFactory().post("/", body, content_type="application/json", headers=given)
        codes.append(view(request).status_code)
        verified.append(EventWebhook(public_key).verify_signature(body.decode(), *given.values()))
    show("anymail", {"status": sorted(mail.anymail_status.status), "codes": codes, "verified": verified, "events": sorted(seen)})


sdk()
anymail()
