# Sends with django-anymail through a Localpost server, and reads a webhook of it: each line of the output is one result.
import json
import os
import sys

import django
from django.conf import settings

settings.configure(
    ALLOWED_HOSTS=["*"],
    ANYMAIL={
        "MAILGUN_API_KEY": os.environ["MAILGUN_API_KEY"],
        "MAILGUN_API_URL": os.environ["MAILGUN_API_URL"] + "/v3",
        "MAILGUN_SENDER_DOMAIN": "acme.test",
        "MAILGUN_WEBHOOK_SIGNING_KEY": os.environ["SIGNING_KEY"],
    },
    EMAIL_BACKEND="anymail.backends.mailgun.EmailBackend",
    INSTALLED_APPS=["anymail"],
    ROOT_URLCONF="anymail.urls",
)
django.setup()

from anymail.exceptions import AnymailAPIError
from anymail.message import AnymailMessage
from anymail.signals import tracking
from django.test import RequestFactory
from anymail.webhooks.mailgun import MailgunTrackingWebhookView


def show(name, value):
    print(json.dumps([name, value]))


def send():
    message = AnymailMessage("Anymail", "It works.", "Acme <hi@acme.test>", ["Ada <ada@example.com>"])
    message.attach_alternative("<p>It works.</p>", "text/html")
    message.cc = ["carl@example.com"]
    message.reply_to = ["help@acme.test", "sales@acme.test"]
    message.extra_headers["X-Order"] = "17"
    message.attach("ü.txt", "text", "text/plain")
    message.metadata = {"order": 17}
    message.tags = ["welcome"]
    message.track_opens = False
    message.send()
    show("send", [message.anymail_status.status == {"queued"}, message.anymail_status.message_id])


def merge():
    message = AnymailMessage("Hi {name}", "Dear %recipient.name%", "hi@acme.test", ["ada@example.com", "bob@example.com"])
    message.subject = "Hi %recipient.name%"
    message.merge_data = {"ada@example.com": {"name": "Ada"}, "bob@example.com": {"name": "Bob"}}
    message.merge_metadata = {"ada@example.com": {"id": 1}, "bob@example.com": {"id": 2}}
    message.merge_headers = {"ada@example.com": {"X-Id": "1"}, "bob@example.com": {"X-Id": "2"}}
    message.send()
    show("merge", message.anymail_status.message_id)


def error():
    try:
        AnymailMessage("x", "x", "hi@acme.test", ["nobody@-"]).send()
    except AnymailAPIError as fault:
        show("error", fault.status_code)


def webhook():
    seen = []

    def handle(sender, event, esp_name, **kwargs):
        seen.append([event.event_type, event.reject_reason, event.recipient, event.tags, event.metadata, event.message_id])

    tracking.connect(handle)
    body = sys.stdin.read()
    request = RequestFactory().post("/mailgun/tracking/", data=body, content_type="application/json")
    answer = MailgunTrackingWebhookView.as_view()(request)
    wrong = RequestFactory().post(
        "/mailgun/tracking/", data=body.replace('"token":"', '"token":"0'), content_type="application/json"
    )
    refused = MailgunTrackingWebhookView.as_view()
    try:
        status = refused(wrong).status_code
    except Exception as fault:
        status = type(fault).__name__
    show("webhook", [answer.status_code, seen, status])


for name in sys.argv[1:]:
    {"send": send, "merge": merge, "error": error, "webhook": webhook}[name]()
