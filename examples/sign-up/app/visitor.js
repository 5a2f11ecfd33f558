/** What a browser does with the form. */
export async function signUp(app, email) {
  const response = await fetch(`${app.url}/signup`, { method: 'POST', body: new URLSearchParams({ email }) })
  if (!response.ok) throw new Error(await response.text())
}

/** The text of a page of the app. */
export async function visit(href) {
  return (await fetch(href)).text()
}
