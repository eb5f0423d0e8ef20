import { effect, signal } from "@preact/signals"

const system = matchMedia("(prefers-color-scheme: dark)")
const chosen = localStorage.getItem("petstore.console.theme")
export const theme = signal<"light" | "dark">(
  chosen === "dark" || chosen === "light" ? chosen : system.matches ? "dark" : "light"
)
if (chosen === null) system.addEventListener("change", ({ matches }) => (theme.value = matches ? "dark" : "light"))

effect(() => {
  document.documentElement.dataset.theme = theme.value
})

export const toggleTheme = (): void => {
  theme.value = theme.value === "dark" ? "light" : "dark"
  localStorage.setItem("petstore.console.theme", theme.value)
}
