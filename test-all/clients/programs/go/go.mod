module clients

go 1.24

require (
	github.com/jordan-wright/email v4.0.1-0.20210109023952-943e75fe5223+incompatible
	github.com/wneessen/go-mail v0.7.0
	gopkg.in/gomail.v2 v2.0.0-20160411212932-81ebce5c23df
)
