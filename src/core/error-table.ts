/**
 * One row per error code: the HTTP status it answers with, what it means, and how to fix it.
 * `docs/errors.md` has a section for each.
 */
export const errorTable = {
  // requests
  missing_api_key: {
    status: 401,
    meaning: 'The request has no API key.',
    fix: 'Send `Authorization: Bearer <API_KEY>`.',
  },
  invalid_api_key: {
    status: 401,
    meaning: 'The API key does not exist.',
    fix: 'Use the key that Localpost printed at the start, or create one.',
  },
  invalid_credentials: {
    status: 401,
    meaning: 'The user name or the password is wrong.',
    fix: 'Check both, or ask an admin for a new password.',
  },
  sign_in_failed: {
    status: 401,
    meaning: 'The sign-in with the OpenID provider did not succeed.',
    fix: 'Begin again on the sign-in page; the message says what was wrong.',
  },
  provider_unavailable: {
    status: 502,
    meaning: 'The OpenID provider cannot be reached, or its answer cannot be used.',
    fix: 'Check `oidc.issuer` and the provider; the log has the reason.',
  },
  insufficient_scope: {
    status: 403,
    meaning: 'The API key or the user is valid, but may not do this.',
    fix: 'Use an API key with the scope that the message names, or ask an admin.',
  },
  forbidden_host: {
    status: 403,
    meaning: 'The Host header names a host that this listener does not serve.',
    fix: 'Use 127.0.0.1 or localhost, or allow the name with `allowHosts`.',
  },
  forbidden_origin: {
    status: 403,
    meaning: 'A page of another origin called the control API.',
    fix: 'Call it from the inbox page, or without a browser.',
  },
  consent_required: {
    status: 403,
    meaning: 'The request would connect to addresses in a mail, and a link in a mail may have caused it.',
    fix: 'Send an API key or the header `X-Localpost-Page: 1`; for a frame, the token of `POST /dev/inbox/{id}/consent`.',
  },
  invalid_request: {
    status: 400,
    meaning: 'The data on the connection is not an HTTP request, or its method is unknown.',
    fix: 'Send HTTP/1.1; see the message.',
  },
  expectation_failed: {
    status: 417,
    meaning: 'The header `Expect` has a value other than `100-continue`.',
    fix: 'Leave the header out.',
  },
  header_too_large: {
    status: 431,
    meaning: 'The header of the request is too large.',
    fix: 'Send less in the header.',
  },
  request_too_slow: {
    status: 408,
    meaning: 'The request timed out before it was complete.',
    fix: 'Send the header within 20 seconds and the body within two minutes.',
  },
  invalid_json: { status: 400, meaning: 'The body is not JSON.', fix: 'Send one valid JSON value.' },
  unsupported_media_type: {
    status: 415,
    meaning: 'This operation does not accept the Content-Type.',
    fix: 'Send `Content-Type: application/json`.',
  },
  payload_too_large: {
    status: 413,
    meaning:
      'The request body is larger than this operation accepts: 50 MiB for sends and imports, less elsewhere.',
    fix: 'Send less, or give attachments as URLs.',
  },
  range_not_satisfiable: {
    status: 416,
    meaning: 'The requested range of bytes begins after the end.',
    fix: 'Request a range within `Content-Range`, or leave the header `Range` out.',
  },
  message_too_large: {
    status: 413,
    meaning: 'The message would be larger than 40 MB after encoding.',
    fix: 'Send fewer or smaller attachments.',
  },
  validation_error: {
    status: 422,
    meaning: 'Members of the request are missing or wrong.',
    fix: 'See `errors`: one entry per member.',
  },
  missing_variable: {
    status: 422,
    meaning: 'A variable has neither a value nor a default, or the data of a template lacks what it uses.',
    fix: 'Give `value` or `default`; give the data that the message names.',
  },
  invalid_template: {
    status: 422,
    meaning: 'A template is not valid in its language, or takes too long to render.',
    fix: 'Fix it at the line and column of the message; nest fewer loops over long lists.',
  },
  invalid_attachment: {
    status: 422,
    meaning: 'An attachment is not valid.',
    fix: 'Use an http(s) URL, a `data:` URI, or a file under `attachments.root`.',
  },
  invalid_cursor: {
    status: 422,
    meaning: 'The cursor does not belong to this list.',
    fix: 'Pass the `cursor` of the previous page unchanged, or none.',
  },
  invalid_query: {
    status: 422,
    meaning: 'The search query is not valid.',
    fix: 'Fix the query at the position shown in the message.',
  },
  not_found: {
    status: 404,
    meaning: 'The path, or the resource with this id, does not exist.',
    fix: 'Check the id and the path.',
  },
  template_not_found: {
    status: 404,
    meaning: 'No template has this id.',
    fix: 'Store it with `PUT /dev/templates/{id}`, or use another id.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path exists, but not with this method.',
    fix: 'Use one of the methods in `Allow`.',
  },
  not_supported: {
    status: 501,
    meaning: 'The API of the provider has this operation, and Localpost does not.',
    fix: 'See the page of the provider in `docs/providers`, which lists the operations that Localpost has.',
  },
  wait_timeout: {
    // Not 408, which OkHttp, got, ky and `curl --retry` repeat by themselves.
    status: 404,
    meaning: 'No matching mail arrived in time.',
    fix: 'Check the query against the nearest misses, or wait longer.',
  },
  unexpected_mail: {
    status: 409,
    meaning: 'A mail arrived although none was expected.',
    fix: 'See the mail that the message names, or narrow the query.',
  },
  domain_not_verified: {
    status: 403,
    meaning: 'The sending domain is registered, but not verified.',
    fix: 'Verify it, for example with `POST /dev/domains/{id}/verify`.',
  },
  domain_not_registered: {
    status: 403,
    meaning: 'The sending domain is not registered (`strict`).',
    fix: 'Create it with `POST /v1/domains` and verify it.',
  },
  domain_exists: {
    status: 409,
    meaning: 'The domain is already registered.',
    fix: 'Use the one that exists.',
  },
  webhook_exists: {
    status: 409,
    meaning: 'A webhook with this URL already exists; a second one would deliver each event twice.',
    fix: 'Use the one that exists, or remove it first to choose other events.',
  },
  name_taken: { status: 409, meaning: 'Another record already has this name.', fix: 'Choose another name.' },
  too_many_accounts: {
    status: 409,
    meaning: 'The instance has the maximum number of accounts.',
    fix: 'Remove unused accounts, or create accounts with `ttl_ms`.',
  },
  idempotency_conflict: {
    status: 409,
    meaning: 'The Idempotency-Key was already used with a different body.',
    fix: 'Use a new key for a new request.',
  },
  state_conflict: {
    status: 409,
    meaning: 'The request conflicts with the current state.',
    fix: 'See the state in the message.',
  },
  message_pending: {
    status: 409,
    meaning: 'The message of this email is not written yet, or could not be written.',
    fix: 'Try again in a moment; see its events.',
  },
  rate_limit_exceeded: {
    status: 429,
    meaning:
      'There were more requests than the rate limit allows, or too many wrong keys, passwords or sign-ins from one address.',
    fix: 'Wait for `Retry-After` seconds. After wrong keys or passwords, use the right one.',
  },
  internal_error: {
    status: 500,
    meaning: 'An error in Localpost itself.',
    fix: 'Please report it, with the log.',
  },
  service_unavailable: {
    status: 503,
    meaning: 'Localpost cannot handle this request now.',
    fix: 'Try again after `Retry-After` seconds.',
  },
  injected_fault: {
    status: 500,
    meaning: 'A fault that was configured with `/dev/faults`; the status is the configured one.',
    fix: 'Handle it like an error of the service, or remove it with `DELETE /dev/faults`.',
  },
  // delivery
  relay_not_configured: {
    status: 409,
    meaning: 'No relay is configured.',
    fix: 'Start with `--relay smtp://host:port`.',
  },
  relay_failed: {
    status: 502,
    meaning: 'The relay did not accept the message.',
    fix: 'See the reply in the message.',
  },
  attachment_failed: {
    status: 502,
    meaning: 'An attachment could not be fetched.',
    fix: 'Check the URL, its host and its size.',
  },
  // store
  version_conflict: {
    status: 409,
    meaning: 'Another request changed the record meanwhile.',
    fix: 'Read it again and repeat the change.',
  },
  unique_conflict: { status: 409, meaning: 'A unique key is taken.', fix: 'Use another value.' },
  store_in_use: {
    status: 503,
    meaning: 'Another process uses the data folder.',
    fix: 'Stop that process, or use another folder.',
  },
  store_corrupt: {
    status: 500,
    meaning:
      'A file of the data folder is damaged or missing: the start is refused, or the bytes of this email cannot be read.',
    fix: 'Restore the whole folder from one copy, or save what is intact with `localpost doctor --salvage --to <new folder>`. Nothing was overwritten.',
  },
  store_incomplete: {
    status: 500,
    meaning:
      'The data folder or the database holds only a part of its data: a copy or a salvage into it is running or was interrupted.',
    fix: 'Run the same `localpost copy` or `localpost doctor --salvage` again; it continues. Or use another folder or database.',
  },
  store_newer_schema: {
    status: 500,
    meaning: 'The data folder was written by a newer Localpost.',
    fix: 'Use that version, or another folder.',
  },
  store_read_only: {
    status: 503,
    meaning: 'The data folder cannot be written.',
    fix: 'Give write permission, or use another folder.',
  },
  store_full: {
    status: 507,
    meaning: 'The disk is full.',
    fix: 'Free some space; nothing of the refused request was stored.',
  },
  store_failed: {
    status: 500,
    meaning: 'The data folder failed while it was read or written.',
    fix: 'See the cause; restart when it is fixed.',
  },
  store_unknown: {
    status: 503,
    meaning: 'It is not known whether the data was stored.',
    fix: 'Send it again; after the next start it may exist twice.',
  },
  // operators
  invalid_option: {
    status: 500,
    meaning: 'An option is unknown or has a wrong value.',
    fix: 'See the message for the nearest option and its valid values.',
  },
  port_in_use: {
    status: 500,
    meaning: 'The port is taken by another program.',
    fix: 'Stop that program, or choose another port.',
  },
  listen_failed: {
    status: 500,
    meaning: 'Localpost cannot listen on the address.',
    fix: 'Check the host and the port, and the permission to use them.',
  },
  already_listening: {
    status: 500,
    meaning: 'This instance is already listening.',
    fix: 'Use its `url`, or create another instance.',
  },
  closed: { status: 503, meaning: 'This instance is closed.', fix: 'Create a new one.' },
  clock_not_held: {
    status: 500,
    meaning: 'This instance runs on the real clock, which cannot be moved.',
    fix: 'Create the instance with `clock: fixedClock("2026-01-01T00:00:00Z")`.',
  },
  snapshot_not_possible: {
    status: 500,
    meaning: 'This instance does not support snapshots, or the snapshot is of another instance.',
    fix: 'Use an instance in memory, and its own snapshots.',
  },
  // client
  request_failed: {
    status: 502,
    meaning: 'The client could not reach the service.',
    fix: 'Check the base URL, and that the service runs; see the cause.',
  },
  request_timeout: {
    status: 504,
    meaning: 'The service did not answer the client in time.',
    fix: 'Try again, or give the client a longer `timeoutMs`.',
  },
  unexpected_response: {
    status: 502,
    meaning: 'The answer does not match the interface.',
    fix: 'See the status and text in the message, and check the base URL.',
  },
} as const

/** Every code that an error of Localpost can have. */
export type ErrorCode = keyof typeof errorTable
