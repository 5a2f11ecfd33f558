"""Runs Resend's SDK for Python against a Localpost server, and django-anymail's backend and webhook view: each line of the output is one result."""

import http.server
import json
import os
import threading

import django
import resend
from django.conf import settings
from resend.exceptions import ResendError

resend.api_key = os.environ["LOCALPOST_API_KEY"]
MAIL = {"from": "Acme <hi@acme.test>", "to": "ada@example.com", "subject": "Python", "text": "It works."}


def show(name, value):
    print(json.dumps([name, value]), flush=True)


def error_of(call, *given):
    try:
        call(*given)
    except ResendError as error:
        return [type(error).__name__, error.code, error.error_type]
    return "none"


def send():
    sent = resend.Emails.send(
        {**MAIL, "to": ["ada@example.com"], "reply_to": "help@acme.test", "tags": [{"name": "order", "value": "17"}],
         "attachments": [{"filename": "a.txt", "content": list(b"bytes")}]}
    )
    got = resend.Emails.get(sent["id"])
    first = resend.Emails.send(MAIL, {"idempotency_key": "order-17"})
    again = resend.Emails.send(MAIL, {"idempotency_key": "order-17"})
    batch = resend.Batch.send([MAIL, {**MAIL, "to": "bob@example.com"}])
    listed = resend.Emails.list({"limit": 1})
    show(
        "send",
        {
            "got": [got["subject"], got["to"], got["reply_to"]],
            "again": first["id"] == again["id"],
            "batch": len(batch["data"]),
            "listed": [len(listed["data"]), listed["has_more"]],
        },
    )


def schedule():
    sent = resend.Emails.send({**MAIL, "subject": "Later", "scheduled_at": "in 1 hour"})
    changed = resend.Emails.update({"id": sent["id"], "scheduled_at": "in 2 hours"})
    waiting = resend.Emails.get(sent["id"])["last_event"]
    cancelled = resend.Emails.cancel(sent["id"])
    show("schedule", [changed["id"] == sent["id"], waiting, cancelled["id"] == sent["id"], error_of(resend.Emails.get, sent["id"])])


def errors():
    shown = {
        "missing": error_of(resend.Emails.send, {"from": MAIL["from"], "to": MAIL["to"], "text": "x"}),
        "address": error_of(resend.Emails.send, {**MAIL, "to": "nobody"}),
        "unsupported": error_of(resend.Broadcasts.list),
    }
    key, resend.api_key = resend.api_key, "re_wrong"
    shown["key"] = error_of(resend.Emails.send, MAIL)
    resend.api_key = key
    show("errors", shown)


def anymail():
    posted = []
    arrived = threading.Semaphore(0)

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            posted.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()
            arrived.release()

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    webhook = resend.Webhooks.create(
        {"endpoint": f"http://127.0.0.1:{server.server_port}/", "events": ["email.sent", "email.bounced"]}
    )
    settings.configure(
        ALLOWED_HOSTS=["*"],
        EMAIL_BACKEND="anymail.backends.resend.EmailBackend",
        ANYMAIL={
            "RESEND_API_KEY": resend.api_key,
            "RESEND_API_URL": os.environ["RESEND_API_URL"] + "/",
            "RESEND_SIGNING_SECRET": webhook["signing_secret"],
        },
    )
    django.setup()
    from anymail.exceptions import AnymailAPIError, AnymailWebhookValidationFailure
    from anymail.signals import tracking
    from anymail.webhooks.resend import ResendTrackingWebhookView
    from django.core.mail import EmailMultiAlternatives
    from django.test import RequestFactory

    message = EmailMultiAlternatives("Django", "text", "Acme <hi@acme.test>", ["bounced@resend.dev"])
    message.attach_alternative("<p>html</p>", "text/html")
    message.attach("a.txt", "bytes", "text/plain")
    message.metadata = {"order": "17"}
    message.tags = ["welcome"]
    message.send()
    ids = [message.anymail_status.message_id]
    batch = EmailMultiAlternatives("Django batch", "text", "hi@acme.test", ["a@example.com", "b@example.com"])
    batch.merge_metadata = {"a@example.com": {"order": 1}, "b@example.com": {"order": 2}}
    batch.send()
    ids += [status.message_id for status in batch.anymail_status.recipients.values()]
    wrong = EmailMultiAlternatives("Django", "", "Acme <hi@acme.test>", ["bounced@resend.dev"])
    try:
        wrong.send()
        refused = "none"
    except AnymailAPIError as error:
        refused = error.status_code
    # Three are sent, and the first bounces.
    for _ in range(4):
        assert arrived.acquire(timeout=60)
    seen = []

    def receive(event, **_):
        seen.append([event.event_type, event.message_id in ids, event.recipient, event.reject_reason])

    tracking.connect(receive)
    view = ResendTrackingWebhookView.as_view()

    def post(headers, body):
        given = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
        return view(RequestFactory().post("/", body, content_type=headers["content-type"], **given)).status_code

    answers = {post({name.lower(): value for name, value in headers.items()}, body) for headers, body in posted}
    headers, body = posted[0]
    try:
        forged = post({name.lower(): value for name, value in headers.items()}, body + b" ")
    except AnymailWebhookValidationFailure:
        forged = "refused"
    server.shutdown()
    resend.Webhooks.remove(webhook["id"])
    show("anymail", {"refused": refused, "answers": sorted(answers), "forged": forged, "events": sorted(seen, key=str)})


for step in (send, schedule, errors, anymail):
    step()
