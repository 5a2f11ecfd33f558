require 'json'
require 'mail'

kinds = JSON.parse(File.read(ENV.fetch('KINDS')))
way = ENV.fetch('WAY')
options = { address: '127.0.0.1', port: ENV.fetch('PORT').to_i, openssl_verify_mode: 'none' }
options[:enable_starttls_auto] = false if way == 'plain'
options[:ssl] = true if way == 'smtps'
unless ENV.fetch('AUTH').empty?
  options.merge!(user_name: 'u', password: ENV.fetch('PASSWORD'), authentication: ENV.fetch('AUTH').downcase)
end

kinds.each do |name, kind|
  mail = Mail.new(charset: 'UTF-8')
  mail.from = kind['from']
  mail.to = kind['to']
  mail.subject = "[#{ENV.fetch('SETUP')}/#{name}] #{kind['subject']}"
  if kind['html'] || kind['calendar'] || kind['attachments']
    mail.text_part = Mail::Part.new { content_type 'text/plain; charset=UTF-8'; body kind['text'] }
    mail.html_part = Mail::Part.new { content_type 'text/html; charset=UTF-8'; body kind['html'] } if kind['html']
    (kind['inline'] || []).each do |cid, path, type|
      mail.attachments.inline['logo.png'] = { content: File.binread(path), content_id: "<#{cid}>", mime_type: type }
    end
    (kind['attachments'] || []).each do |file, path, type|
      mail.attachments[file] = { content: File.binread(path), mime_type: type }
    end
    if kind['calendar']
      invitation = File.read(kind['calendar'])
      mail.add_part(Mail::Part.new { content_type 'text/calendar; method=REQUEST; charset=UTF-8'; body invitation })
    end
  else
    mail.body = kind['text']
    mail.content_transfer_encoding = '8bit' if name == 'eightbit'
  end
  mail.delivery_method :smtp, options
  mail.deliver!
rescue StandardError => e
  puts "#{name}\t#{e.class} #{e.message.tr("\n", ' ')}"
end
