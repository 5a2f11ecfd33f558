import json
import os
import time

import openapi_client as localpost

name = os.environ["DOMAIN"]
configuration = localpost.Configuration(
    host=os.environ["LOCALPOST_URL"], access_token=os.environ["LOCALPOST_API_KEY"]
)
client = localpost.ApiClient(configuration)
emails_api = localpost.EmailsApi(client)
domains_api = localpost.DomainsApi(client)
audiences_api = localpost.AudiencesApi(client)

domain = domains_api.create_domain(localpost.CreateDomainBody(name=name))
records = [
    f"MX {record.priority}" if isinstance(record, localpost.DnsRecordMx) else record.type
    for record in (one.actual_instance for one in domain.dns_records)
]

request = localpost.SendRequest(
    **{"from": "Acme <hi@acme.test>"},
    to=localpost.SendRequestTo(["ada@example.com", "bounce@simulator.localpost"]),
    subject="Hello {{name}}",
    text="Hello {{name}}, {{code}}",
    variables={
        "name": localpost.VariableValue(localpost.VariableValueWithDefault(value=None, default="Ada")),
        "code": localpost.VariableValue("482913"),
    },
    attachments=[localpost.AttachmentReference(filename="a.txt", path="data:text/plain;base64,aGVsbG8=")],
)
sent = emails_api.send_email(request, idempotency_key=name)
while True:
    email = emails_api.get_email(sent.id)
    last = {one.recipient: one.events[-1].actual_instance.status for one in email.recipient_statuses}
    if "sent" not in last.values():
        break
    time.sleep(0.1)
statuses = [f"{recipient} {status}" for recipient, status in last.items()]

emails, pages, links, cursor = 0, 0, [], ""
while cursor is not None:
    page = emails_api.list_emails(cursor)
    emails += len(page.emails)
    events = [one.last_event.actual_instance for one in page.emails]
    links += [event.link for event in events if isinstance(event, localpost.LastEventClicked)]
    cursor = page.cursor
    pages += 1

verified = next(one for one in domains_api.list_domains().domains if one.name == "acme.test")
detail = domains_api.get_domain(verified.id)
checked = round(detail.verification_info.last_checked_timestamp.timestamp() * 1000)

audience = audiences_api.list_audiences().audiences[0]
contacts = [one.email for one in audiences_api.list_contacts(audience.id).contacts]

try:
    emails_api.get_email("em_none")
    error = None
except localpost.exceptions.NotFoundException as refused:
    error = refused.data.name


def described(payload):
    if payload["type"].startswith("domain."):
        read = localpost.DomainPayload.from_dict(payload)
        return f"{read.type} {read.data.name}"
    read = localpost.EmailPayload.from_dict(payload).actual_instance
    return f"{read.type} {read.data.status} {read.data.recipient}"


with open(os.environ["PAYLOADS"], encoding="utf-8") as file:
    payloads = [described(payload) for payload in json.load(file)]

print(json.dumps({
    "records": records, "statuses": statuses, "emails": emails, "pages": pages, "links": links,
    "checked": checked, "contacts": contacts, "error": error, "payloads": payloads,
}))
