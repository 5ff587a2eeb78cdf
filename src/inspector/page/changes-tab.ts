/** What an exchange changed: the figures before and after it, and a world of one's own that goes on from there. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { counted } from "../../base/counted.ts";
import { orUndefined } from "../../base/text.ts";
import type { Catalogue, Moment, State } from "./contract.ts";
import type { Loaded } from "./loading.ts";
import { type Part, Waiting } from "./parts.ts";
import type { Source } from "./source.ts";
import { NewWorld } from "./state.ts";
import { inr } from "./words.ts";

/** Names and values of everything that an exchange may change or that matters to it. */
type Figures = Readonly<Record<string, string>>;

export function ChangesTab(props: {
  readonly source: Source;
  readonly sequence: number;
  readonly moment: Loaded<Moment>;
  readonly catalogue: Catalogue;
}): Part {
  const { source, sequence, moment, catalogue } = props;
  const [isAll, showAll] = useState(false);
  if (moment.value === undefined) return html`<${Waiting} loaded=${moment} />`;
  const { before, after } = moment.value;
  const is = figuresOf(after, catalogue);
  const was = before === null ? {} : figuresOf(before, catalogue);
  const names = [...new Set([...Object.keys(is), ...Object.keys(was)])];
  const changed = names.filter((name) => was[name] !== is[name]);
  const shown = isAll || before === null ? names : changed;
  return html`
    ${before === null && html`<p class="quiet">The moment before it can't be rebuilt: what leads to it was dropped.</p>`}
    ${after.publisher !== null && html`<p class="quiet">Of the publisher ${after.publisher.name}.</p>`}
    ${
      shown.length === 0
        ? html`<p>Nothing changed.</p>`
        : html`<table>
        <thead><tr><td></td><th scope="col">before</th><td></td><th scope="col">after</th></tr></thead>
        <tbody>${shown.map(
          (
            name,
          ) => html`<tr key=${name} class=${was[name] === is[name] ? "same" : ""}><th scope="row">${name}</th>
            <td>${was[name] ?? "–"}</td><td aria-hidden="true">→</td><td><b>${is[name] ?? "–"}</b></td></tr>`,
        )}</tbody></table>`
    }
    ${
      before !== null &&
      html`<p><button type="button" aria-pressed=${isAll} onClick=${() => showAll(!isAll)}>Show all ${names.length}</button></p>`
    }
    ${!source.isFile && html`<${NewWorld} source=${source} label="Go on from here" name=${`from-${sequence}`} after=${sequence} />`}`;
}

function figuresOf(state: State, catalogue: Catalogue): Figures {
  const { publisher, assumptions, faults, now, mode } = state;
  const other = Object.entries(assumptions).filter(
    ([key, choice]) => catalogue[key]?.default !== choice,
  );
  return {
    ...(publisher && publisherFigures(publisher)),
    ...Object.fromEntries(
      faults.map(({ id, fired }) => [`fault ${id}`, `acted on ${counted(fired, "request")}`]),
    ),
    ...Object.fromEntries(other),
    clock: `${now.replace("T", " ").replace("Z", "")}, ${mode}`,
  };
}

function publisherFigures(publisher: NonNullable<State["publisher"]>): Figures {
  const { recorded, quotas, surfaces, stats } = publisher;
  return {
    "impressions recorded here": count(recorded.impressions),
    "clicks recorded here": count(recorded.clicks),
    ...statsFigures(stats.body),
    "revenue in all": inr(recorded.revenueInr),
    pending: inr(recorded.pendingInr),
    paid: inr(recorded.paidInr),
    ...Object.fromEntries(
      quotas.map((one) => [
        `left of the ${one.name} limit`,
        `${count(one.remaining)} of ${count(one.limit)}`,
      ]),
    ),
    ...Object.fromEntries(surfaces.map(({ id, status }) => [`surface ${id}`, status])),
  };
}

/** From the answer to a request for stats without a period: today and the 30 days before it. */
function statsFigures(body: string): Figures {
  const stats = orUndefined(() => JSON.parse(body));
  if (stats === undefined) return {};
  return {
    "impressions of 31 days": count(stats.impressions),
    "clicks of 31 days": count(stats.clicks),
    "revenue of 31 days": inr(stats.revenue_inr),
  };
}

function count(value: number): string {
  return value.toLocaleString("en");
}
