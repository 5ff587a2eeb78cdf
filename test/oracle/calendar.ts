/** Days as texts, computed with JavaScript's own UTC dates, independent of the simulator's calendar. */

const DAY_MS = 86_400_000;

/** How much earlier midnight is than in UTC. */
export const midnightOffsetsMs: Readonly<Record<"utc" | "ist", number>> = {
  utc: 0,
  ist: 5.5 * 3_600_000,
};

/** The day of an instant, `YYYY-MM-DD`. */
export function dayOfInstant(instantMs: number, timezone: "utc" | "ist"): string {
  return textOf(instantMs + midnightOffsetsMs[timezone]);
}

export function addDays(date: string, days: number): string {
  return textOf(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS);
}

/** The number of days from `before` to `date`. */
export function daysBetween(before: string, date: string): number {
  return (Date.parse(`${date}T00:00:00Z`) - Date.parse(`${before}T00:00:00Z`)) / DAY_MS;
}

/** `YYYY-MM`, one month later. */
export function nextMonth(month: string): string {
  const year = Number(month.slice(0, 4));
  const number = Number(month.slice(5, 7));
  const [nextYear, next] = number === 12 ? [year + 1, 1] : [year, number + 1];
  return `${String(nextYear).padStart(4, "0")}-${String(next).padStart(2, "0")}`;
}

/** Whether a text is an existing day in the form `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const parsed = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
}

function textOf(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 10);
}
