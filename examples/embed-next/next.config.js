/** @type {import('next').NextConfig} */
export default {
  // Localpost reads files of its own package, so it must not be bundled.
  serverExternalPackages: ['localpost'],
  // `/mail/` is not redirected to `/mail`.
  skipTrailingSlashRedirect: true,
}
