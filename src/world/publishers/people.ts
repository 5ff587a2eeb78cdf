/** Invents names, contacts and UPI ids. `build/bundle.ts` leaves of faker's locales only the lists that are drawn from. */

import type { Faker as FakerClass } from "@faker-js/faker";
import { faker as shared } from "@faker-js/faker/locale/en_IN";
import alea from "seedrandom/lib/alea.js";
import type { Profile } from "./profiles.ts";

/** The person behind a publisher. All of it is invented, and the UPI handle names a provider that can't exist. */
export interface Person {
  readonly name: string;
  readonly contact: { readonly name: string; readonly email: string };
  readonly upiId: string;
}

export type PersonGenerator = (seed: string, profile: Profile, ordinal: number) => Person;

let generator = alea("");
/** Ours alone, since a program may draw from the shared one. Created on first use: that takes a while. */
let created: typeof shared | undefined;

function ownFaker(): typeof shared {
  const Faker = shared.constructor as typeof FakerClass;
  const randomizer = { next: () => generator(), seed: () => undefined };
  created ??= new Faker({ locale: shared.rawDefinitions, randomizer });
  return created;
}

export const fakerPerson: PersonGenerator = (seed, profile, ordinal) => {
  generator = alea(JSON.stringify([seed, "publisher", ordinal]));
  const faker = ownFaker();
  const firstName = faker.person.firstName();
  const lastName = faker.person.lastName();
  const company = faker.company.name();
  const handle = `${plain(firstName)}.${plain(lastName)}${faker.number.int({ min: 10, max: 9999 })}`;
  return {
    name: profile === "adversarial" ? awkwardName(ordinal, company) : company,
    contact: { name: `${firstName} ${lastName}`, email: `${handle}@example.com` },
    upiId: `${handle}@invalid`,
  };
};

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, "") || "publisher";
}

function awkwardName(ordinal: number, company: string): string {
  const awkward = [
    `${company} \u202E(reversed)`,
    `${company} 🏳️‍🌈🧵`,
    `شركة ${company} للإعلان`,
    `${company} प्राइवेट लिमिटेड`,
    company.repeat(400),
    `O'${company} & "Söhne" <b>GmbH</b>`,
    "·",
  ];
  return awkward[ordinal % awkward.length] ?? company;
}

/** The part of a world's host that names people. */
export const fakerHost: { readonly people: () => PersonGenerator } = { people: () => fakerPerson };
