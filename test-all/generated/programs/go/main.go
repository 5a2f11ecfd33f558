// Lives through all operations of /v1 with the client of openapi-generator for Go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"live/localpost"
)

func given[T any](value T, _ any, err error) T {
	if err != nil {
		var refused *localpost.GenericOpenAPIError
		if errors.As(err, &refused) {
			log.Fatal(err, string(refused.Body()))
		}
		log.Fatal(err)
	}
	return value
}

func statusOf(event localpost.RecipientEvent) string {
	if event.RecipientEventHit != nil {
		return event.RecipientEventHit.Status
	}
	return event.RecipientEventPlain.Status
}

func described(payload json.RawMessage) string {
	var kind struct{ Type string }
	json.Unmarshal(payload, &kind)
	if strings.HasPrefix(kind.Type, "domain.") {
		var read localpost.DomainPayload
		if err := json.Unmarshal(payload, &read); err != nil {
			log.Fatal(err)
		}
		return fmt.Sprintf("%s %s", read.Type, read.Data.Name)
	}
	var read localpost.EmailPayload
	if err := json.Unmarshal(payload, &read); err != nil {
		log.Fatal(err)
	}
	variant, _ := json.Marshal(read.GetActualInstance())
	var parts struct {
		Type string
		Data struct{ Status, Recipient string }
	}
	json.Unmarshal(variant, &parts)
	return fmt.Sprintf("%s %s %s", parts.Type, parts.Data.Status, parts.Data.Recipient)
}

func main() {
	name := os.Getenv("DOMAIN")
	configuration := localpost.NewConfiguration()
	configuration.Servers = localpost.ServerConfigurations{{URL: os.Getenv("LOCALPOST_URL")}}
	client := localpost.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), localpost.ContextAccessToken, os.Getenv("LOCALPOST_API_KEY"))

	domain := given(client.DomainsAPI.CreateDomain(ctx).CreateDomainBody(*localpost.NewCreateDomainBody(name)).Execute())
	records := []string{}
	for _, record := range domain.DnsRecords {
		if record.DnsRecordMx != nil {
			records = append(records, fmt.Sprintf("MX %d", record.DnsRecordMx.Priority))
		} else {
			records = append(records, record.DnsRecordTxt.Type)
		}
	}

	code, standIn := "482913", "Ada"
	request := localpost.NewSendRequest("Acme <hi@acme.test>",
		localpost.SendRequestTo{ArrayOfString: &[]string{"ada@example.com", "bounce@simulator.localpost"}})
	request.SetSubject("Hello {{name}}")
	request.SetText("Hello {{name}}, {{code}}")
	withDefault := localpost.NewVariableValueWithDefault()
	withDefault.SetValueNil()
	withDefault.SetDefault(standIn)
	request.SetVariables(map[string]localpost.VariableValue{
		"name": {VariableValueWithDefault: withDefault},
		"code": {String: &code},
	})
	request.SetAttachments([]localpost.AttachmentReference{*localpost.NewAttachmentReference("a.txt", "data:text/plain;base64,aGVsbG8=")})
	sent := given(client.EmailsAPI.SendEmail(ctx).SendRequest(*request).IdempotencyKey(name).Execute())
	statuses := []string{}
	for pending := true; pending; time.Sleep(100 * time.Millisecond) {
		email := given(client.EmailsAPI.GetEmail(ctx, sent.Id).Execute())
		statuses, pending = []string{}, false
		for _, one := range email.RecipientStatuses {
			status := statusOf(one.Events[len(one.Events)-1])
			statuses = append(statuses, one.Recipient+" "+status)
			pending = pending || status == "sent"
		}
	}

	emails, pages, links := 0, 0, []string{}
	for cursor := ""; pages == 0 || cursor != ""; pages++ {
		page := given(client.EmailsAPI.ListEmails(ctx).Cursor(cursor).Execute())
		emails += len(page.Emails)
		for _, one := range page.Emails {
			if one.LastEvent.LastEventClicked != nil {
				links = append(links, one.LastEvent.LastEventClicked.Link)
			}
		}
		cursor = page.GetCursor()
	}

	checked := int64(0)
	for _, one := range given(client.DomainsAPI.ListDomains(ctx).Execute()).Domains {
		if one.Name == "acme.test" {
			checked = given(client.DomainsAPI.GetDomain(ctx, one.Id).Execute()).VerificationInfo.LastCheckedTimestamp.UnixMilli()
		}
	}

	audience := given(client.AudiencesAPI.ListAudiences(ctx).Execute()).Audiences[0]
	contacts := []string{}
	for _, one := range given(client.AudiencesAPI.ListContacts(ctx, audience.Id).Execute()).Contacts {
		contacts = append(contacts, one.Email)
	}

	_, _, err := client.EmailsAPI.GetEmail(ctx, "em_none").Execute()
	refused := err.(*localpost.GenericOpenAPIError).Model().(localpost.ErrorBody)

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
