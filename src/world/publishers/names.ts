/**
 * The part of faker that people are drawn from: 9 kB of its lists for India. The class comes by way of an instance, since the
 * entry of the package loads all seventy locales. `build/bundle.ts` has the class by its name, and the lists as data.
 */

import type { Faker as FakerClass, LocaleDefinition } from "@faker-js/faker";
import { faker } from "@faker-js/faker/locale/en_IN";

const { person, company } = faker.rawDefinitions;

export const Faker = faker.constructor as typeof FakerClass;

export const lists: LocaleDefinition = {
  person: {
    first_name: person?.first_name ?? null,
    last_name: person?.last_name ?? null,
    last_name_pattern: person?.last_name_pattern ?? null,
  },
  company: {
    name_pattern: company?.name_pattern ?? null,
    legal_entity_type: company?.legal_entity_type ?? null,
  },
};
