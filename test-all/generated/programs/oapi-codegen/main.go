// Lives through all operations of /v1 with the client of oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"live/localpost"
)

// given returns the answer of a call, and fails unless it has the status of success.
func given[T interface{ StatusCode() int }](answer T, err error) T {
	if err != nil || answer.StatusCode() >= 300 {
		log.Fatal(err, answer.StatusCode())
	}
	return answer
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
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
	variant, _ := json.Marshal(must(read.ValueByDiscriminator()))
	var parts struct {
		Type string
		Data struct{ Status, Recipient string }
	}
	json.Unmarshal(variant, &parts)
	return fmt.Sprintf("%s %s %s", parts.Type, parts.Data.Status, parts.Data.Recipient)
}

func main() {
	name := os.Getenv("DOMAIN")
	ctx := context.Background()
	withKey := localpost.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("LOCALPOST_API_KEY"))
		return nil
	})
	client := must(localpost.NewClientWithResponses(os.Getenv("LOCALPOST_URL"), withKey))

	domain := given(client.CreateDomainWithResponse(ctx, localpost.CreateDomainBody{Name: name})).JSON201
	records := []string{}
	for _, record := range domain.DnsRecords {
		switch read := must(record.ValueByDiscriminator()).(type) {
		case localpost.DnsRecordMx:
			records = append(records, fmt.Sprintf("MX %d", read.Priority))
		case localpost.DnsRecordTxt:
			records = append(records, string(read.Type))
		}
	}

	subject, text, standIn := "Hello {{name}}", "Hello {{name}}, {{code}}", "Ada"
	request := localpost.SendRequest{From: "Acme <hi@acme.test>", Subject: &subject, Text: &text}
	request.To.FromSendRequestTo1([]string{"ada@example.com", "bounce@simulator.localpost"})
	var withDefault, code localpost.VariableValue
	withDefault.FromVariableValueWithDefault(localpost.VariableValueWithDefault{Default: &standIn})
	code.FromVariableValue0("482913")
	request.Variables = &map[string]localpost.VariableValue{"name": withDefault, "code": code}
	request.Attachments = &[]localpost.AttachmentReference{{Filename: "a.txt", Path: "data:text/plain;base64,aGVsbG8="}}
	sent := given(client.SendEmailWithResponse(ctx, &localpost.SendEmailParams{IdempotencyKey: &name}, request)).JSON200
	statuses := []string{}
	for pending := true; pending; time.Sleep(100 * time.Millisecond) {
		email := given(client.GetEmailWithResponse(ctx, sent.Id)).JSON200
		statuses, pending = []string{}, false
		for _, one := range email.RecipientStatuses {
			status := must(one.Events[len(one.Events)-1].Discriminator())
			statuses = append(statuses, one.Recipient+" "+status)
			pending = pending || status == "sent"
		}
	}

	emails, pages, links := 0, 0, []string{}
	first := ""
	for cursor := &first; cursor != nil; pages++ {
		page := given(client.ListEmailsWithResponse(ctx, &localpost.ListEmailsParams{Cursor: cursor})).JSON200
		emails += len(page.Emails)
		for _, one := range page.Emails {
			if clicked, is := must(one.LastEvent.ValueByDiscriminator()).(localpost.LastEventClicked); is {
				links = append(links, clicked.Link)
			}
		}
		cursor = page.Cursor
	}

	checked := int64(0)
	for _, one := range given(client.ListDomainsWithResponse(ctx, nil)).JSON200.Domains {
		if one.Name == "acme.test" {
			checked = given(client.GetDomainWithResponse(ctx, one.Id)).JSON200.VerificationInfo.LastCheckedTimestamp.UnixMilli()
		}
	}

	audience := given(client.ListAudiencesWithResponse(ctx, nil)).JSON200.Audiences[0]
	contacts := []string{}
	for _, one := range given(client.ListContactsWithResponse(ctx, audience.Id, nil)).JSON200.Contacts {
		contacts = append(contacts, one.Email)
	}

	refused := must(client.GetEmailWithResponse(ctx, "em_none")).JSON404

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
