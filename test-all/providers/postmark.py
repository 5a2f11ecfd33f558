"""Sends with django-anymail to a Localpost server, and runs its webhook view on what is posted: each line of the output is one result."""

import http.server
import json
import os
import threading

import django
from django.conf import settings

settings.configure(
    ALLOWED_HOSTS=["*"],
    EMAIL_BACKEND="anymail.backends.postmark.EmailBackend",
    ANYMAIL={
        "POSTMARK_SERVER_TOKEN": os.environ["LOCALPOST_API_KEY"],
        "POSTMARK_API_URL": f"http://{os.environ['POSTMARK_HOST']}/",
        "WEBHOOK_SECRET": "user:pass",
    },
)
django.setup()

from anymail.exceptions import AnymailAPIError, AnymailRecipientsRefused  # noqa: E402
from anymail.message import AnymailMessage, attach_inline_image  # noqa: E402
from anymail.signals import tracking  # noqa: E402
from anymail.webhooks.postmark import PostmarkTrackingWebhookView  # noqa: E402
from django.test import RequestFactory  # noqa: E402


def show(name, value):
    print(json.dumps([name, value]), flush=True)


def message(**given):
    return AnymailMessage(**{"subject": "Anymail", "body": "It works.", "from_email": "Acme <hi@acme.test>", **given})


def statuses(sent):
    return {address: one.status for address, one in sent.anymail_status.recipients.items()}


def sending():
    mail = message(
        to=["Ada <ada@example.com>", "bob@example.com"],
        cc=["carl@example.com"],
        bcc=["dora@example.com"],
        reply_to=["help@acme.test"],
        headers={"X-Order": "17"},
        metadata={"order": "17"},
        tags=["welcome"],
        track_opens=True,
        track_clicks=True,
    )
    mail.attach("a.txt", "text", "text/plain")
    cid = attach_inline_image(mail, b"png", "logo.png", "png")
    mail.attach_alternative(f'<p>It works.</p><img src="cid:{cid}">', "text/html")
    mail.send()
    merged = message(subject="Merged", to=["ada@example.com", "bob@example.com"], merge_metadata={"ada@example.com": {"n": "1"}})
    merged.send()
    ids = {one.message_id for one in merged.anymail_status.recipients.values()}
    templated = message(
        subject="", body="", to=["ada@example.com", "bob@example.com"], template_id="merge", merge_global_data={"shop": "Acme"}
    )
    templated.merge_data = {"ada@example.com": {"name": "Ada"}, "bob@example.com": {"name": "Bob"}}
    templated.send()
    show("sending", {"one": statuses(mail), "each": statuses(merged), "ids": len(ids), "templated": statuses(templated)})


def errors():
    illegal = message(to=["nobody@-"])
    try:
        illegal.send()
        refused = "none"
    except AnymailRecipientsRefused:
        refused = statuses(illegal)
    gone = message(to=["gone@example.com"])
    try:
        gone.send()
        inactive = "none"
    except AnymailRecipientsRefused:
        inactive = statuses(gone)
    partly = message(to=["ada@example.com", "gone@example.com"])
    partly.send()
    try:
        message(to=["ada@example.com"], metadata={"x" * 21: "1"}).send()
        metadata = "none"
    except AnymailAPIError as error:
        metadata = error.status_code
    show("errors", {"illegal": refused, "inactive": inactive, "partly": statuses(partly), "metadata": metadata})


def events():
    posted = []
    arrived = threading.Semaphore(0)

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()
            # Not those of the mails before.
            if b"hardbounce@" in body or b"complaint@" in body:
                posted.append((dict(self.headers), body))
                arrived.release()

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", int(os.environ["RECEIVER_PORT"])), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    hosts = {"hardbounce": "bounce-testing.postmarkapp.com", "complaint": "simulator.localpost"}
    sent = []
    for name, host in hosts.items():
        mail = message(to=[f"{name}@{host}"], metadata={"order": "17"}, tags=["test"])
        mail.send()
        sent.append(mail.anymail_status.message_id)
    # The first bounces; the second is delivered, and complained of. Both of these deactivate the address.
    for _ in range(5):
        assert arrived.acquire(timeout=60)
    seen = []

    def receive(event, **_):
        right = event.message_id in sent and event.metadata == {"order": "17"} and event.tags == ["test"]
        seen.append([event.event_type, right, event.recipient, event.reject_reason or ""])

    tracking.connect(receive)
    view = PostmarkTrackingWebhookView.as_view()
    for headers, body in posted:
        given = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
        request = RequestFactory().post("/", body, content_type=headers["content-type"], **given)
        assert view(request).status_code == 200
    server.shutdown()
    show("events", sorted(seen))


for step in (sending, errors, events):
    step()
