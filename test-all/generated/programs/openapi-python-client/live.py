import json
import os
import time

from localpost_client import AuthenticatedClient
from localpost_client.api.audiences import list_audiences, list_contacts
from localpost_client.api.domains import create_domain, get_domain, list_domains
from localpost_client.api.emails import get_email, list_emails, send_email
from localpost_client.models import (
    AttachmentReference,
    CreateDomainBody,
    DnsRecordMx,
    DomainPayload,
    LastEventClicked,
    SendRequest,
    SendRequestVariables,
    VariableValueWithDefault,
)
from localpost_client import models

name = os.environ["DOMAIN"]
client = AuthenticatedClient(os.environ["LOCALPOST_URL"], os.environ["LOCALPOST_API_KEY"])

domain = create_domain.sync(client=client, body=CreateDomainBody(name))
records = [
    f"MX {record.priority}" if isinstance(record, DnsRecordMx) else record.type_
    for record in domain.dns_records
]

variables = SendRequestVariables()
variables["name"] = VariableValueWithDefault(value=None, default="Ada")
variables["code"] = "482913"
request = SendRequest(
    from_="Acme <hi@acme.test>",
    to=["ada@example.com", "bounce@simulator.localpost"],
    subject="Hello {{name}}",
    text="Hello {{name}}, {{code}}",
    variables=variables,
    attachments=[AttachmentReference("a.txt", "data:text/plain;base64,aGVsbG8=")],
)
sent = send_email.sync(client=client, body=request, idempotency_key=name)
while True:
    email = get_email.sync(sent.id, client=client)
    if all(one.events[-1].status != "sent" for one in email.recipient_statuses):
        break
    time.sleep(0.1)
statuses = [f"{one.recipient} {one.events[-1].status}" for one in email.recipient_statuses]

emails, pages, links, cursor = 0, 0, [], ""
while cursor is not None:
    page = list_emails.sync(client=client, cursor=cursor)
    emails += len(page.emails)
    links += [one.last_event.link for one in page.emails if isinstance(one.last_event, LastEventClicked)]
    cursor = page.cursor
    pages += 1

verified = next(one for one in list_domains.sync(client=client).domains if one.name == "acme.test")
detail = get_domain.sync(verified.id, client=client)
checked = round(detail.verification_info.last_checked_timestamp.timestamp() * 1000)

audience = list_audiences.sync(client=client).audiences[0]
contacts = [one.email for one in list_contacts.sync(audience.id, client=client).contacts]

error = get_email.sync("em_none", client=client).name


def described(payload):
    """Reads a payload by the class that its type names."""
    kind = payload["type"].split(".")[1]
    if payload["type"].startswith("domain."):
        read = DomainPayload.from_dict(payload)
        return f"{read.type_} {read.data.name}"
    variant = "Delayed" if kind == "delivery_delayed" else kind.capitalize()
    read = getattr(models, f"EmailPayload{variant}").from_dict(payload)
    return f"{read.type_} {read.data.status} {read.data.recipient}"


with open(os.environ["PAYLOADS"], encoding="utf-8") as file:
    payloads = [described(payload) for payload in json.load(file)]

print(json.dumps({
    "records": records, "statuses": statuses, "emails": emails, "pages": pages, "links": links,
    "checked": checked, "contacts": contacts, "error": error, "payloads": payloads,
}))
