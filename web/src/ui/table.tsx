import type { ComponentChildren } from "preact";

/** A table that scrolls by itself where it is too wide, also by key. */
export function Table({
  name,
  columns,
  children,
}: {
  name: string;
  columns: string[];
  children: ComponentChildren;
}) {
  return (
    <div class="scroll" role="region" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
