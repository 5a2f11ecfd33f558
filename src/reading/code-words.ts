// Words that tell what the number in a sentence is. A list per meaning, because mail comes in many languages; in
// languages that join words (Bestätigungscode, vahvistuskoodi) a match may begin within a word.

/** Words for a one-time code. */
export const codeWord: RegExp = new RegExp(
  [
    // English, German, French, Dutch, and compounds with "code".
    'codes?(?!\\p{L})|coden(?!\\p{L})',
    '(?<!\\p{L})(?:otp|pin|m?tan|passcode|pass ?key|token|2fa|mfa|one[- ]time|two[- ](?:factor|step)|verification|verify)(?!\\p{L})',
    'einmal(?:passwort|kennwort)|usage unique|(?:un solo uso|uso [uú]nico|monouso)(?!\\p{L})',
    '(?<!\\p{L})(?:clave|senha) (?:de (?:acceso|acesso|seguridad|segurança|confirmaci[oó]n)|din[aáâ]mica|tempor[aá](?:l|ria))(?!\\p{L})',
    // The second step of a sign-in.
    '(?:dos|dois|duas|deux|due) (?:pasos|factores|fatores|etapas|facteurs|étapes|fattori)|zwei-?(?:faktor|stufig|schritt)|二段階|2段階|两步|兩步',
    // Spanish, Portuguese, Italian, Romanian.
    'c[oó]digos?(?!\\p{L})|codic[ei](?!\\p{L})|(?<!\\p{L})codul(?!\\p{L})',
    // Polish, Turkish, Scandinavian, Czech, Hungarian, Finnish, Indonesian.
    'k[oó]d(?:u|em|en|ei|e|unuz|un|ot|ja)?(?!\\p{L})|koodi(?!\\p{L})',
    // Russian and Ukrainian, Greek, Hebrew, Arabic, Persian, Hindi, Thai, Vietnamese.
    '(?<!\\p{L})код(?:а|у|ом)?(?!\\p{L})|κωδικ|קוד|رمز|كود|کد|कोड|ओटीपी|รหัส|(?<!\\p{L})mã(?!\\p{L})',
    // Japanese, Chinese, Korean.
    'コード|認証番号|確認番号|暗証番号|ワンタイム|验证码|驗證碼|校验码|校驗碼|动态码|動態碼|动态密码|確認碼|确认码|代码|인증|코드',
  ].join('|'),
  'iu',
)

/** Words for another kind of code: of a coupon, an address, a parcel, an error. */
export const otherCode: RegExp = new RegExp(
  [
    '(?<!\\p{L})(?:promo(?:tion(?:al)?)?|coupon|discount|voucher|gift(?: card)?|referral|invite|error|status|exit|zip|postal|post|area|country|dial(?:ling)?|bar|qr|tracking|booking|order|product|color|colour|source|dress|sort|swift|bank|loyalty|reservation|reference|http)[- ]?codes?(?!\\p{L})',
    '(?<!\\p{L})(?:zone|airport|branch|station|department|course|item|part|model|batch|lot|tax|class|fare|rate|unit|access control|style|sku|ean|plu)[- ]codes?(?!\\p{L})',
    'lines? of code|code (?:quality|review|coverage|of conduct|base|freeze|style)|token (?:budget|usage|limit|count)',
    '(?:e-?mails?|codes) (?:sent|redeemed|used|issued|generated|requested)(?!\\p{L})',
    '(?:gutschein|rabatt|aktions|bar|fehler|vorteils|gutscheins|quell|qr|farb)-?codes?(?!\\p{L})',
    'codes? (?:promo|postal|barre|de réduction|avantage|couleur|d.erreur)\\p{L}*|code-barres',
    'c[óo]digos? (?:postal|promocional|de (?:descuento|desconto|barras|rastreio|seguimiento|cupom|error))',
    'codice (?:postale|sconto|promozionale|fiscale)',
    'kod (?:pocztow|rabatow|promocyj|kreskow)\\p{L}*|(?:posta|promosyon|indirim|kampanya|kupon) kod\\p{L}*',
    'промо-?код\\p{L}*|почтовый код|クーポンコード|割引コード|エラーコード|优惠码|折扣码|쿠폰 ?코드|할인 ?코드',
  ].join('|'),
  'giu',
)

/** Words for another kind of number, such as that of an order or a phone. */
export const otherNumber: RegExp = new RegExp(
  [
    otherCode.source,
    '(?<!\\p{L})(?:order|invoice|receipt|tracking|ticket|parcel|shipment|booking|reservation|confirmation number|reference|ref|customer|member|account|phone|tel|telephone|call|fax|zip|postcode|postal|promo|coupon|discount|voucher|total|amount|iban|version|release|build|error|area|ending|card|copyright|case|street|avenue|po box)(?!\\p{L})',
    '(?:bestell|rechnungs?|kunden|sendungs|vorgangs|telefon|auftrags|konto)-?(?:nr|nummer|numéro)|bestellung|rechnung|telefon|postfach|stra(?:ß|ss)e|(?<!\\p{L})endet(?!\\p{L})',
    'commande|facture|colis|téléphone|pedido|factura|fatura|envío|encomenda|teléfono|telefone|ordine|fattura|zamówieni|faktur|paczk|sipariş|заказ|счёт|счет|телефон|طلب|فاتورة',
    'terminad[ao] e[nm]|(?:se terminant|finissant) par|che termina con|尾号|尾號|末四位|后四位|下4桁|下４桁',
    '注文|請求|電話|郵便|お問い合わせ番号|订单|訂單|发票|发货|快递|电话|주문|송장|전화',
  ].join('|'),
  'iu',
)

/** Words that ask the reader to use a number. They count only if a sentence next to it mentions a code. */
export const useWord: RegExp =
  /(?<!\p{L})(?:use|enter|type|it is|it's|here it is|geben|gib|nutze|nutzen|verwende|verwenden|saisissez|utilisez|entrez|introduce|introduzca|ingresa|ingrese|usa|digite|insira|utilize|inserisci|wpisz|введите|girin)(?!\p{L})|输入|輸入|入力|입력/iu

/** Words about a discount. In such a sentence a code with letters is a discount code. */
export const savingWord: RegExp =
  /(?<!\p{L})(?:at (?:the )?checkout|an der kasse|im warenkorb|au moment de payer|al pagar|al finalizar la compra|ao finalizar a compra|alla cassa|free (?:shipping|delivery)|(?:to|and) save)(?!\p{L})|% (?:off|rabatt|de (?:réduction|remise|descuento|dto|desconto)|di sconto)|%オフ|折扣/iu
