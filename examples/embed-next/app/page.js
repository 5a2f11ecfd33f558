export default function Page() {
  return <h1>The app itself</h1>
}
