export const Tabs = ({
  label,
  options,
  value
}: {
  label: string
  value: string
  options: ReadonlyArray<{
    readonly value: string
    readonly name: string
    readonly link: string
    readonly count?: string | undefined
  }>
}) => (
  <nav class="tabs" aria-label={label}>
    {options.map((option) => (
      <a key={option.value} href={option.link} aria-current={option.value === value ? "true" : undefined}>
        {option.name}
        {option.count !== undefined && <span class="count">{option.count}</span>}
      </a>
    ))}
  </nav>
)
