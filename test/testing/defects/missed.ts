/** The planted clients that the contract doesn't catch with its defaults, by name, as `measure.ts` finds them. */

export const missed: ReadonlySet<string> = new Set<string>([
  "calling: doesn't look whether there is a pause once a call has waited for its turn",
  "calling: repeats calls though the key was refused",
  "calling: sends calls that waited for the end of a pause when the key was refused",
  "calling: sends calls that waited for their turn when the key was refused",
  "calling: sends every call with a key that was refused",
  "direct: goes on with the attempts of a query after it is closed",
  "patient: a flush reports again what an earlier one reported",
  "patient: goes on with a key that was refused",
  "plain: says that 415 was fine",
  "queueing: a click that got a 202 is sent again, although the service may count every click",
  "queueing: a pause is shortened by a later hint",
  "queueing: a view that failed is not sent when it is reported again",
  "queueing: all pauses have the same length, but for the share that is drawn",
  "queueing: an answer that was rejected is returned when the query is made again",
  "queueing: counts that are text or null pass for numbers",
  "queueing: figures of a period that begins on a day are returned for one that ends on it",
  "queueing: pauses don't start anew after a success",
  "queueing: statistics of another publisher are returned",
  "queueing: statistics without the total of revenue are returned",
  "reference: pauses don't grow, but are drawn",
]);
