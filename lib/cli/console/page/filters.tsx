import { shown } from './format.ts';
import { go, type Place, placeWith } from './place.ts';

/** In a field, a key is no command: Esc leads out of it. */
function leaveByEscape({ key, currentTarget }: { readonly key: string; readonly currentTarget: HTMLElement }): void {
  if (key === 'Escape') currentTarget.blur();
}

/** A text to search for, which the URL holds. */
export function Search({ place, placeholder }: { readonly place: Place; readonly placeholder: string }) {
  return (
    <label class="wide">
      Search
      <input
        type="search"
        value={place.params.get('q') ?? ''}
        placeholder={placeholder}
        onInput={({ currentTarget }) => go(placeWith(place, { q: currentTarget.value }), { replace: true })}
        onKeyDown={leaveByEscape}
      />
    </label>
  );
}

/** One of some values, or any, which the URL holds. */
export function Choice({
  place,
  param,
  name,
  of = [],
}: {
  readonly place: Place;
  readonly param: string;
  readonly name: string;
  readonly of: readonly string[] | undefined;
}) {
  const value = place.params.get(param);
  // A link may name a value that is not there any more.
  const all = value === null || of.includes(value) ? of : [value, ...of];
  return (
    <label>
      {name}
      <select
        value={value ?? ''}
        onChange={({ currentTarget }) => go(placeWith(place, { [param]: currentTarget.value }))}
        onKeyDown={leaveByEscape}
      >
        <option value="">any</option>
        {all.map((one) => (
          <option key={one} value={one}>
            {shown(one)}
          </option>
        ))}
      </select>
    </label>
  );
}
