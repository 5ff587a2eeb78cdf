/** What an exchange changed: the figures before and after it, and a world of one's own that goes on from there. */

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import type { Catalogue, Moment, State } from "./contract.ts";
import type { Loaded } from "./loading.ts";
import { ActionForm, Choose, Input, type Part, type Values, Waiting } from "./parts.ts";
import type { Source } from "./source.ts";
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
  const name = after.publisher?.name;
  return html`
    ${before === null && html`<p class="quiet">The moment before it can't be rebuilt: what leads to it was dropped.</p>`}
    ${name !== undefined && html`<p class="quiet">Of the publisher ${name}.</p>`}
    ${before !== null && changed.length === 0 && html`<p>Nothing changed.</p>`}
    ${
      shown.length > 0 &&
      html`<div class="scroll" tabindex="0" role="group" aria-label="Before and after"><table>
        <thead><tr><td></td><th scope="col">before</th><td></td><th scope="col">after</th></tr></thead>
        <tbody>${shown.map(
          (
            one,
          ) => html`<tr key=${one} class=${was[one] === is[one] ? "same" : ""}><th scope="row">${one}</th>
            <td>${was[one] ?? "–"}</td><td aria-hidden="true">→</td><td><b>${is[one] ?? "–"}</b></td></tr>`,
        )}</tbody></table></div>`
    }
    ${
      before !== null &&
      html`<p><button type="button" aria-pressed=${isAll} onClick=${() => showAll(!isAll)}>
      ${isAll ? "Only what changed" : `Show all ${names.length}`}</button></p>`
    }
    ${!source.isFile && html`<${GoOn} source=${source} sequence=${sequence} />`}`;
}

function figuresOf(state: State, catalogue: Catalogue): Figures {
  const { publisher, assumptions, faults, now, mode } = state;
  const other = Object.entries(assumptions).filter(
    ([key, choice]) => catalogue[key]?.default !== choice,
  );
  return {
    ...(publisher && publisherFigures(publisher)),
    ...Object.fromEntries(
      faults.map(({ id, seen, fired }) => [`fault ${id}`, `acted on ${fired} of ${seen}`]),
    ),
    ...Object.fromEntries(other),
    clock: `${now.replace("T", " ").replace("Z", "")}, ${mode}`,
  };
}

function publisherFigures(publisher: NonNullable<State["publisher"]>): Figures {
  const { books, quotas, surfaces, stats, payouts } = publisher;
  return {
    "impressions recorded here": count(books.impressions),
    "clicks recorded here": count(books.clicks),
    ...statsFigures(stats.body),
    "revenue in all": inr(books.revenueInr),
    pending: inr(books.pendingInr),
    paid: inr(books.paidInr),
    ...Object.fromEntries(
      quotas.map((one) => [
        `left of the ${one.name} limit`,
        `${count(one.remaining)} of ${count(one.limit)}`,
      ]),
    ),
    ...Object.fromEntries(surfaces.map(({ id, status }) => [`surface ${id}`, status])),
    payouts: `${payouts.body.split('"date"').length - 1}`,
  };
}

/** Of the answer to a request for the stats of the last 30 days. */
function statsFigures(body: string): Figures {
  try {
    const { impressions, clicks, revenue_inr } = JSON.parse(body);
    return {
      "impressions of 30 days": count(impressions),
      "clicks of 30 days": count(clicks),
      "revenue of 30 days": inr(revenue_inr),
    };
  } catch {
    return {};
  }
}

function count(value: number): string {
  return value.toLocaleString("en");
}

function GoOn({ source, sequence }: { readonly source: Source; readonly sequence: number }): Part {
  const [made, setMade] = useState("");
  const act = async ({ name = "", when = "" }: Values): Promise<void> => {
    await source.send("POST", "worlds", { name, [when]: sequence });
    setMade(name);
  };
  return html`<details><summary>Go on from here in a world of its own</summary>
    <${ActionForm} submit="Make the world" act=${act}>
      <${Choose} label="From" name="when" options=${[["after", `after #${sequence}`], ["before", `before #${sequence}`]]} />
      <${Input} label="Name" name="name" value=${`from-${sequence}`} />
    </${ActionForm}>
    ${made !== "" && html`<p>World ${made} is ready: <a href=${source.pageOf(made)}>open it</a>.</p>`}
  </details>`;
}
