/** What is replaced in entries and exports unless the caller asks for secrets: the values of headers with credentials, no more. */

/** Stands in place of a secret. */
export const REDACTED = "(redacted)";

const secretHeaders = /^(?:authorization|cookie|proxy-authorization|x-api-key)$/i;

/** Whether the header with this name, in any case, carries a credential. */
export const isSecretHeader = (name: string): boolean => secretHeaders.test(name);

/** The headers, with the values of those that carry a credential replaced. */
export function withoutSecrets(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name) ? REDACTED : value]),
  );
}
