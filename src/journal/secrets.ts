/** What is replaced in everything that leaves adsim: the values of the headers that carry credentials, and nothing else. */

/** Stands in place of a secret. */
export const REDACTED = "(redacted)";

const secretHeaders: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "proxy-authorization",
  "x-api-key",
]);

/** Whether the header with this name, in any case, carries a credential. */
export function isSecretHeader(name: string): boolean {
  return secretHeaders.has(name.toLowerCase());
}

/** The headers, with the values of those that carry a credential replaced. */
export function withoutSecrets(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name) ? REDACTED : value]),
  );
}
