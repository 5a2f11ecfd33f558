import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.JSON;
import org.openapitools.client.api.AudiencesApi;
import org.openapitools.client.api.DomainsApi;
import org.openapitools.client.api.EmailsApi;
import org.openapitools.client.model.*;

/** Lives through all operations of /v1 with the client of openapi-generator for Java. */
public class Live {
  static String statusOf(RecipientEvent event) {
    return event.getActualInstance() instanceof RecipientEventHit hit
        ? hit.getStatus().getValue()
        : ((RecipientEventPlain) event.getActualInstance()).getStatus().getValue();
  }

  static String described(JsonElement payload) throws Exception {
    if (payload.getAsJsonObject().get("type").getAsString().startsWith("domain.")) {
      var read = DomainPayload.fromJson(payload.toString());
      return read.getType().getValue() + " " + read.getData().getName();
    }
    var variant = EmailPayload.fromJson(payload.toString()).getActualInstance();
    JsonObject again = JSON.getGson().toJsonTree(variant).getAsJsonObject();
    JsonObject data = again.getAsJsonObject("data");
    return again.get("type").getAsString() + " " + data.get("status").getAsString() + " "
        + data.get("recipient").getAsString();
  }

  public static void main(String[] arguments) throws Exception {
    var env = System.getenv();
    var name = env.get("DOMAIN");
    var client = new ApiClient().setBasePath(env.get("LOCALPOST_URL"));
    client.setBearerToken(env.get("LOCALPOST_API_KEY"));
    var emailsApi = new EmailsApi(client);
    var domainsApi = new DomainsApi(client);
    var audiencesApi = new AudiencesApi(client);
    Map<String, Object> found = new LinkedHashMap<>();

    found.put("records", domainsApi.createDomain(new CreateDomainBody().name(name)).getDnsRecords().stream()
        .map(record -> record.getActualInstance() instanceof DnsRecordMx mx
            ? "MX " + mx.getPriority()
            : ((DnsRecordTxt) record.getActualInstance()).getType().getValue()).toList());

    var request = new SendRequest()
        .from("Acme <hi@acme.test>")
        // The client cannot write the list that is allowed too.
        .to(new SendRequestTo("ada@example.com, bounce@simulator.localpost"))
        .subject("Hello {{name}}")
        .text("Hello {{name}}, {{code}}")
        .putVariablesItem("name", new VariableValue(new VariableValueWithDefault().value(null)._default("Ada")))
        .putVariablesItem("code", new VariableValue("482913"))
        .addAttachmentsItem(new AttachmentReference().filename("a.txt").path("data:text/plain;base64,aGVsbG8="));
    var id = emailsApi.sendEmail(request, name).getId();
    List<String> statuses;
    do {
      Thread.sleep(100);
      statuses = emailsApi.getEmail(id).getRecipientStatuses().stream()
          .map(one -> one.getRecipient() + " " + statusOf(one.getEvents().get(one.getEvents().size() - 1)))
          .toList();
    } while (statuses.stream().anyMatch(one -> one.endsWith(" sent")));
    found.put("statuses", statuses);

    int emails = 0;
    int pages = 0;
    var links = new ArrayList<String>();
    String cursor = null;
    do {
      var page = emailsApi.listEmails(cursor);
      emails += page.getEmails().size();
      for (var one : page.getEmails())
        if (one.getLastEvent().getActualInstance() instanceof LastEventClicked clicked) links.add(clicked.getLink());
      cursor = page.getCursor();
      pages += 1;
    } while (cursor != null);
    found.put("emails", emails);
    found.put("pages", pages);
    found.put("links", links);

    for (var one : domainsApi.listDomains(null).getDomains()) {
      if (!one.getName().equals("acme.test")) continue;
      var info = domainsApi.getDomain(one.getId()).getVerificationInfo();
      found.put("checked", info.getLastCheckedTimestamp().toInstant().toEpochMilli());
    }

    var audience = audiencesApi.listAudiences(null).getAudiences().get(0);
    found.put("contacts", audiencesApi.listContacts(audience.getId(), null).getContacts().stream()
        .map(Contact::getEmail).toList());

    try {
      emailsApi.getEmail("em_none");
    } catch (ApiException refused) {
      found.put("error", ErrorBody.fromJson(refused.getResponseBody()).getName().getValue());
    }

    var payloads = new ArrayList<String>();
    JsonArray posted = JsonParser.parseString(Files.readString(Path.of(env.get("PAYLOADS")))).getAsJsonArray();
    for (var payload : posted) payloads.add(described(payload));
    found.put("payloads", payloads);

    System.out.println(new Gson().toJson(found));
    // The threads of the HTTP client would keep the process for a minute.
    System.exit(0);
  }
}
