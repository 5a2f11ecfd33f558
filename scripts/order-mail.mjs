/**
 * The mail of an online shop, for the pictures of the documentation.
 *
 * @param {{ button?: string, shipping?: string }} [changes]  The color of its button, and a price.
 */
export function orderMail({ button = '#0b6e4f', shipping = '€ 4.90' } = {}) {
  return {
    from: 'Northwind <orders@northwind.example>',
    to: 'ada@example.com',
    subject: 'Your order #48213 is on its way',
    html: `<html lang="en"><head><title>Your order</title></head>
<body style="margin:0;padding:24px;background:#edf1f6;font-family:Arial,sans-serif;color:#16213e">
<div style="max-width:480px;margin:auto;padding:40px;border-radius:10px;background:#fff;line-height:1.5">
<b style="color:#0b6e4f">Northwind</b><h1>Your order is on its way</h1>
<p>Hi Ada, we packed order <b>#48213</b> this morning. It should be with you by Tuesday, and you can follow it at any time.</p>
<p><a href="https://northwind.example/parcels/48213" style="display:inline-block;padding:12px 24px;border-radius:6px;background:${button};color:#fff;font-weight:bold;text-decoration:none">Track the parcel</a></p>
<table role="presentation" width="100%" cellpadding="6" style="border-top:1px solid #dde2ea">
<tr><td>Merino scarf, moss</td><td align="right">€ 48.00</td></tr><tr><td>Shipping</td><td align="right">${shipping}</td></tr>
<tr><td><b>Total</b></td><td align="right"><b>€ 52.90</b></td></tr></table>
<p style="color:#5b6780;font-size:13px">Northwind Ltd, 4 Quay Street, Bristol</p></div></body></html>`,
    text: `Hi Ada, we packed order #48213 this morning. Shipping: ${shipping}.`,
  }
}
