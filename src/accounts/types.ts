// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** An account to create: the body of `POST /dev/accounts`. */
export interface AccountInput {
  /** Also the user name over SMTP; default: a new name. */
  name?: string
  /** The account is removed with all its data this long after its last use; null: never. */
  ttl_ms?: number | null
  /** How many emails are kept; null: as many as the option `maxEmails` says. */
  max_emails?: number | null
  /** How long emails are kept; null: according to the option `maxAgeMs`. */
  max_age_ms?: number | null
}

/** The members to change: the body of `PATCH /dev/accounts/{name}`. */
export interface AccountChanges {
  /** The account is removed with all its data this long after its last use; null: never. */
  ttl_ms?: number | null
  /** How many emails are kept; null: as many as the option `maxEmails` says. */
  max_emails?: number | null
  /** How long emails are kept; null: according to the option `maxAgeMs`. */
  max_age_ms?: number | null
  /** A disabled account takes no mail and answers nothing; its data is kept. */
  is_disabled?: boolean
}

/** An account as `/dev/accounts` answers it. */
export interface AccountInfo {
  /** `acc_…`; of the account that is always there: `default`. */
  id: string
  name: string
  /** Unix time in milliseconds; of `default`: when this instance began. */
  created: number
  ttl_ms: number | null
  /** When it is removed unless it is used before; null: never. */
  expires: number | null
  max_emails: number | null
  max_age_ms: number | null
  is_disabled: boolean
  counts: {
    emails: number
    unread: number
  }
}

/** The answer to `POST /dev/accounts/{name}/smtp-password`: what apps need to submit mail, which no other answer has. */
export interface RenewedPassword {
  smtp: {
    host: string
    port: number
    username: string
    password: string
  }
}

/** The answer to `POST /dev/accounts`: the account, and what apps need to use it, which no other answer has. */
export interface CreatedAccount extends AccountInfo {
  /** Of scope `full`, for `/v1`, `/dev` and as the password over SMTP. */
  api_key: string
  smtp: {
    host: string
    port: number
    username: string
    password: string
  }
}
