// Lives through all operations of /v1 with the client of ogen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"live/localpost"
)

type key struct{}

func (key) ApiKey(context.Context, localpost.OperationName) (localpost.ApiKey, error) {
	return localpost.ApiKey{Token: os.Getenv("LOCALPOST_API_KEY")}, nil
}

// given returns the answer of a call, and fails unless it is the one of success.
func given[T any](answer any, err error) T {
	read, is := answer.(T)
	if err != nil || !is {
		log.Fatalf("%T %v", answer, err)
	}
	return read
}

func described(payload json.RawMessage) string {
	var kind struct{ Type string }
	json.Unmarshal(payload, &kind)
	if strings.HasPrefix(kind.Type, "domain.") {
		var read localpost.DomainPayload
		if err := read.UnmarshalJSON(payload); err != nil {
			log.Fatal(err)
		}
		return fmt.Sprintf("%s %s", read.Type, read.Data.Name)
	}
	var read localpost.EmailPayload
	if err := read.UnmarshalJSON(payload); err != nil {
		log.Fatal(err)
	}
	again, err := read.MarshalJSON()
	if err != nil {
		log.Fatal(err)
	}
	var parts struct {
		Type string
		Data struct{ Status, Recipient string }
	}
	json.Unmarshal(again, &parts)
	return fmt.Sprintf("%s %s %s", parts.Type, parts.Data.Status, parts.Data.Recipient)
}

func statusOf(event localpost.RecipientEvent) string {
	if hit, is := event.GetRecipientEventHit(); is {
		return string(hit.Status)
	}
	plain, _ := event.GetRecipientEventPlain()
	return string(plain.Status)
}

func main() {
	name := os.Getenv("DOMAIN")
	ctx := context.Background()
	client, err := localpost.NewClient(os.Getenv("LOCALPOST_URL"), key{})
	if err != nil {
		log.Fatal(err)
	}

	domain := given[*localpost.CreatedDomain](client.CreateDomain(ctx, &localpost.CreateDomainBody{Name: name}))
	records := []string{}
	for _, record := range domain.DNSRecords {
		if mx, is := record.GetDnsRecordMx(); is {
			records = append(records, fmt.Sprintf("MX %d", mx.Priority))
		} else if record.IsDnsRecordTxt() {
			records = append(records, "TXT")
		}
	}

	withDefault := localpost.VariableValueWithDefault{Default: localpost.NewOptString("Ada")}
	withDefault.Value.SetToNull()
	sent := given[*localpost.SendEmailAnswer](client.SendEmail(ctx, &localpost.SendRequest{
		From:    "Acme <hi@acme.test>",
		To:      localpost.NewStringArraySendRequestTo([]string{"ada@example.com", "bounce@simulator.localpost"}),
		Subject: localpost.NewOptString("Hello {{name}}"),
		Text:    localpost.NewOptString("Hello {{name}}, {{code}}"),
		Variables: localpost.NewOptSendRequestVariables(localpost.SendRequestVariables{
			"name": localpost.NewVariableValueWithDefaultVariableValue(withDefault),
			"code": localpost.NewStringVariableValue("482913"),
		}),
		Attachments: []localpost.AttachmentReference{{Filename: "a.txt", Path: "data:text/plain;base64,aGVsbG8="}},
	}, localpost.SendEmailParams{IdempotencyKey: localpost.NewOptString(name)}))
	statuses := []string{}
	for pending := true; pending; time.Sleep(100 * time.Millisecond) {
		email := given[*localpost.EmailDetail](client.GetEmail(ctx, localpost.GetEmailParams{ID: sent.ID}))
		statuses, pending = []string{}, false
		for _, one := range email.RecipientStatuses {
			status := statusOf(one.Events[len(one.Events)-1])
			statuses = append(statuses, one.Recipient+" "+status)
			pending = pending || status == "sent"
		}
	}

	emails, pages, links := 0, 0, []string{}
	for cursor := ""; pages == 0 || cursor != ""; pages++ {
		parameters := localpost.ListEmailsParams{Cursor: localpost.NewOptString(cursor)}
		page := given[*localpost.ListEmailsAnswer](client.ListEmails(ctx, parameters))
		emails += len(page.Emails)
		for _, one := range page.Emails {
			if clicked, is := one.LastEvent.GetLastEventClicked(); is {
				links = append(links, clicked.Link)
			}
		}
		cursor, _ = page.Cursor.Get()
	}

	checked := int64(0)
	for _, one := range given[*localpost.ListDomainsAnswer](client.ListDomains(ctx, localpost.ListDomainsParams{})).Domains {
		if one.Name == "acme.test" {
			detail := given[*localpost.DomainDetail](client.GetDomain(ctx, localpost.GetDomainParams{ID: one.ID}))
			checked = detail.VerificationInfo.LastCheckedTimestamp.Value.UnixMilli()
		}
	}

	audience := given[*localpost.ListAudiencesAnswer](client.ListAudiences(ctx, localpost.ListAudiencesParams{})).Audiences[0]
	contacts := []string{}
	of := localpost.ListContactsParams{AudienceId: audience.ID}
	for _, one := range given[*localpost.ListContactsAnswer](client.ListContacts(ctx, of)).Contacts {
		contacts = append(contacts, one.Email)
	}

	refused := given[*localpost.GetEmailNotFound](client.GetEmail(ctx, localpost.GetEmailParams{ID: "em_none"}))

	bytes, _ := os.ReadFile(os.Getenv("PAYLOADS"))
	var posted []json.RawMessage
	json.Unmarshal(bytes, &posted)
	payloads := []string{}
	for _, payload := range posted {
		payloads = append(payloads, described(payload))
	}

	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"records": records, "statuses": statuses, "emails": emails, "pages": pages, "links": links,
		"checked": checked, "contacts": contacts, "error": refused.Name, "payloads": payloads,
	})
}
