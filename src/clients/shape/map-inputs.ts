/** VS Code's `inputs`: what a file asks a person for instead of holding it. */
import type { Fields } from '../client.ts';
import type { ServerInput } from '../entry.ts';
import { isFields } from './fields.ts';

export function mapInputs(root: Fields): ServerInput[] {
  const list: unknown = root.inputs;
  return Array.isArray(list) ? list.filter(isFields).flatMap(mapInput) : [];
}

function mapInput(input: Fields): ServerInput[] {
  const { id, description, default: preset, options } = input;
  if (typeof id !== 'string') return [];
  return [
    {
      id,
      ...(typeof description === 'string' ? { description } : {}),
      isPassword: input.password === true,
      ...(typeof preset === 'string' ? { default: preset } : {}),
      options: Array.isArray(options) ? options.flatMap(optionValue) : [],
    },
  ];
}

function optionValue(option: unknown): string[] {
  const value = isFields(option) ? option.value : option;
  return typeof value === 'string' ? [value] : [];
}
