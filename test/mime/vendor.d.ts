// The part of mailauth that the tests use.
declare module 'mailauth/lib/dkim/verify.js' {
  export function dkimVerify(
    message: Buffer,
    options: { resolver: (name: string, type: string) => Promise<string[][]>; curTime?: Date },
  ): Promise<{ results: { status: { result: string } }[] }>
}

declare module 'mailauth/lib/dkim/sign.js' {
  export function dkimSign(
    message: Buffer,
    options: {
      canonicalization: string
      signTime?: Date
      expires?: Date
      signatureData: {
        signingDomain: string
        selector: string
        privateKey: string
        algorithm: string
        maxBodyLength?: number
      }[]
    },
  ): Promise<{ signatures: string; errors: unknown[] }>
}

declare module 'mailauth/lib/spf/index.js' {
  export function spf(options: {
    ip: string
    sender: string
    helo: string
    mta: string
    resolver: (name: string, type: 'A' | 'AAAA' | 'MX' | 'TXT') => Promise<unknown[]>
  }): Promise<{ status: { result: string } }>
}

declare module 'mailauth/lib/dmarc/index.js' {
  const dmarc: {
    dmarc(options: {
      headerFrom: string
      dkimDomains: { domain: string }[]
      spfDomains: { domain: string }[]
      resolver: (name: string, type: string) => Promise<string[][]>
    }): Promise<{ status: { result: string } }>
  }
  export default dmarc
}

declare module 'mailauth/lib/dkim/body/index.js' {
  export function dkimBody(
    canonicalization: string,
    algorithm: string,
    maxBodyLength: number | undefined,
  ): { update(chunk: Buffer): void; digest(encoding: 'base64'): string }
}

declare module 'mailauth/lib/dkim/header/index.js' {
  export function generateCanonicalizedHeader(
    type: 'DKIM',
    lines: { headers: { line: Buffer }[] },
    options: { signatureHeaderLine: string; canonicalization: string },
  ): { canonicalizedHeader: Buffer }
}

declare module 'mailauth/lib/tools.js' {
  export function getSigningHeaderLines(
    fields: { key: string; line: Buffer }[],
    names: string,
    verify: true,
  ): { headers: { line: Buffer }[] }
  export function getPublicKey(
    type: 'DKIM',
    name: string,
    minBitLength: number,
    resolver: (name: string, type: string) => Promise<string[][]>,
  ): Promise<{ publicKey: string }>
}

declare module 'mailauth/lib/bimi/validate-svg.js' {
  export function validateSvg(logo: string): true
}
