/*
 * Messages as people write them, in five languages, each with the bot that should get it. The
 * descriptions are what an operator would write: what the bot does, with a few words that customers
 * use for it. None of the messages stands in a description.
 */

export interface LabelledBot {
  key: string;
  name: string;
  description: string;
}

export const labelledBots: readonly LabelledBot[] = [
  {
    key: 'delivery',
    name: 'Delivery',
    description: `Where parcels are: shipping, tracking number, courier, late or lost package, delivery address, customs, pick-up point.
      Посылка, доставка, курьер, трек-номер, отследить заказ, где мой заказ, пункт выдачи, не пришла, задерживается, таможня, адрес доставки.
      Envío, paquete, pedido, entrega, repartidor, número de seguimiento, no ha llegado, aduana, retraso, dirección de entrega, recoger.
      Lieferung, Paket, Versand, Sendung, Sendungsnummer, Zusteller, Bestellung noch nicht angekommen, Zoll, Abholung, Lieferadresse, Verspätung.
      快递 包裹 物流 发货 配送 快递员 单号 还没收到 到货 海关 收货地址 取件`,
  },
  {
    key: 'billing',
    name: 'Billing',
    description: `Money matters: invoice, payment, refund, money back, charged twice, credit card, receipt, tax, bank transfer, overcharged.
      Счёт, оплата, возврат денег, вернуть деньги, списали дважды, карта, чек, квитанция, налог, банковский перевод, платёж не прошёл.
      Factura, pago, reembolso, devolver el dinero, cobrado dos veces, tarjeta, recibo, impuesto, transferencia, cargo, cobro.
      Rechnung, Zahlung, Rückerstattung, Geld zurück, doppelt abgebucht, Kreditkarte, Quittung, Steuer, Überweisung, Betrag, Lastschrift.
      发票 付款 退款 退钱 重复扣款 信用卡 收据 税 银行转账 扣费 账单 支付`,
  },
  {
    key: 'support',
    name: 'Technical support',
    description: `Something does not work: error, crash, bug, app freezes, screen is black, update failed, slow, cannot connect, device broken, install, wifi, bluetooth.
      Не работает, ошибка, вылетает, зависает, приложение, обновление, чёрный экран, не подключается, медленно, устройство сломалось, установить.
      No funciona, error, se cierra, se congela, aplicación, actualización, pantalla negra, no conecta, lento, dispositivo roto, instalar.
      Funktioniert nicht, Fehler, Fehlermeldung, stürzt ab, App, Aktualisierung, Bildschirm schwarz, verbindet nicht, langsam, Gerät kaputt, installieren.
      不能用 坏了 错误 报错 闪退 卡死 应用 更新 黑屏 连不上 很慢 设备 安装 无法打开`,
  },
  {
    key: 'sales',
    name: 'Sales',
    description: `Before buying: price, cost, discount, offer, quote, plans, compare models, in stock, wholesale, demo, trial, licence for a company.
      Цена, стоимость, сколько стоит, скидка, купить, предложение, тариф, сравнить модели, в наличии, оптом, демо, пробный период, лицензия.
      Precio, cuánto cuesta, descuento, comprar, oferta, presupuesto, planes, comparar modelos, en stock, al por mayor, demostración, prueba gratuita.
      Preis, was kostet, Rabatt, kaufen, Angebot, Tarif, Modelle vergleichen, auf Lager, Großhandel, Vorführung, Testversion, Lizenz.
      价格 多少钱 优惠 折扣 购买 报价 套餐 对比 型号 有货 批发 演示 试用 企业版`,
  },
  {
    key: 'jobs',
    name: 'Jobs',
    description: `Working for us: vacancy, job, CV, resume, application, interview, internship, salary, hiring, recruiter, remote work, career.
      Вакансия, работа, резюме, собеседование, стажировка, зарплата, нанимаете, рекрутер, удалённая работа, карьера, устроиться.
      Empleo, trabajo, currículum, entrevista, prácticas, salario, contratando, vacante, reclutador, trabajo remoto, candidatura, puesto.
      Stelle, Job, Lebenslauf, Bewerbung, Vorstellungsgespräch, Praktikum, Gehalt, einstellen, Personalabteilung, Homeoffice, Karriere, arbeiten bei euch.
      招聘 工作 简历 面试 实习 工资 薪水 职位 岗位 应聘 远程办公 入职`,
  },
  {
    key: 'bookings',
    name: 'Bookings',
    description: `Appointments and reservations: book, reserve a table or a room, reschedule, cancel my appointment, free slots, opening hours, tomorrow, next week, time.
      Записаться, запись, бронь, забронировать столик или номер, перенести, отменить запись, свободное время, часы работы, завтра, на следующей неделе.
      Reservar, reserva, mesa, habitación, cita, cambiar la hora, cancelar la cita, horario, hueco libre, mañana, la semana que viene.
      Termin, buchen, reservieren, Tisch, Zimmer, verschieben, absagen, freie Zeiten, Öffnungszeiten, morgen, nächste Woche.
      预约 预订 订位 订房 改时间 取消预约 空位 营业时间 明天 下周 几点`,
  },
  {
    key: 'accounts',
    name: 'Accounts',
    description: `Account and sign-in: password forgotten, login, log in, username, verification code, two-factor, hacked, blocked account, change email or phone, delete my account, profile.
      Аккаунт, учётная запись, пароль, забыл пароль, войти, логин, код подтверждения, взломали, заблокирован, сменить почту или телефон, удалить аккаунт, профиль.
      Cuenta, contraseña, olvidé la contraseña, iniciar sesión, usuario, código de verificación, hackeado, bloqueada, cambiar correo o teléfono, eliminar mi cuenta, perfil.
      Konto, Passwort vergessen, anmelden, einloggen, Benutzername, Bestätigungscode, gehackt, gesperrt, E-Mail oder Telefonnummer ändern, Konto löschen, Profil.
      账号 密码 忘记密码 登录 用户名 验证码 被盗 被封 更换邮箱 手机号 注销账户 个人资料`,
  },
  {
    key: 'events',
    name: 'Events',
    description: `Meetups and conferences: event, ticket, workshop, webinar, speaker, schedule, venue, join the community, newsletter, recording of the talk.
      Мероприятие, встреча, конференция, билет, вебинар, мастер-класс, докладчик, программа, площадка, сообщество, рассылка, запись выступления.
      Evento, conferencia, entrada, taller, seminario web, ponente, programa, lugar, comunidad, boletín, grabación de la charla, encuentro.
      Veranstaltung, Konferenz, Eintrittskarte, Ticket, Webinar, Workshop, Referent, Programm, Veranstaltungsort, Gemeinschaft, Newsletter, Aufzeichnung des Vortrags.
      活动 会议 门票 讲座 研讨会 讲师 日程 场地 社区 订阅 录像 聚会`,
  },
];

/** By bot, and then by language: en, ru, es, de, zh. */
export const labelledMessages: Record<string, Record<string, readonly string[]>> = {
  delivery: {
    en: [
      'My parcel was supposed to be here on Monday, where is it?',
      'The tracking number you sent shows nothing',
      'The courier left the package with a neighbour I do not know',
      'Can I still change the delivery address?',
      'It has been stuck in customs for ten days',
    ],
    ru: [
      'Здравствуйте, посылка до сих пор не пришла',
      'Курьер не позвонил и уехал',
      'Трек-номер не отслеживается',
      'Можно поменять адрес доставки?',
      'Заказ третий день лежит в пункте выдачи?',
    ],
    es: [
      'Mi paquete no ha llegado todavía',
      'El repartidor dice que no había nadie en casa',
      '¿Me puede dar el número de seguimiento?',
      'Quiero cambiar la dirección de entrega del pedido',
      'El envío lleva una semana parado en la aduana',
    ],
    de: [
      'Mein Paket ist immer noch nicht angekommen',
      'Der Zusteller hat nicht geklingelt',
      'Mit der Sendungsnummer finde ich nichts',
      'Kann ich die Lieferadresse noch ändern?',
      'Warum hängt die Sendung beim Zoll fest?',
    ],
    zh: [
      '我的包裹怎么还没收到',
      '快递单号查不到',
      '快递员没打电话就走了',
      '可以改一下收货地址吗',
      '东西卡在海关好几天了',
    ],
  },
  billing: {
    en: [
      'I was charged twice this month',
      'Please send me the invoice for March',
      'I want my money back',
      'My credit card payment keeps being declined',
      'How long does a refund take to arrive?',
    ],
    ru: [
      'С меня дважды списали деньги',
      'Пришлите, пожалуйста, чек',
      'Хочу вернуть деньги за подписку',
      'Оплата картой не проходит',
      'Когда придёт возврат на карту?',
    ],
    es: [
      'Me han cobrado dos veces',
      'Necesito la factura de marzo',
      'Quiero que me devuelvan el dinero',
      'Mi tarjeta es rechazada al hacer el pago',
      '¿Cuánto tarda el reembolso?',
    ],
    de: [
      'Der Betrag wurde doppelt abgebucht',
      'Bitte schicken Sie mir die Rechnung',
      'Ich möchte mein Geld zurück',
      'Die Zahlung mit der Kreditkarte klappt nicht',
      'Wie lange dauert die Rückerstattung?',
    ],
    zh: ['这个月扣款扣了两次', '请给我开发票', '我要退款', '信用卡付款失败', '退款多久到账'],
  },
  support: {
    en: [
      'The app crashes every time I open the camera',
      'After the update the screen stays black',
      'I get error 504 when I press save',
      'It cannot connect to the wifi any more',
      'Everything became very slow and freezes',
    ],
    ru: [
      'Приложение вылетает при запуске',
      'После обновления чёрный экран',
      'Выдаёт ошибку при сохранении',
      'Не подключается к сети',
      'Всё зависает и очень медленно работает',
    ],
    es: [
      'La aplicación se cierra sola',
      'Después de la actualización la pantalla está negra',
      'Me sale un error al guardar',
      'El dispositivo no conecta con el wifi',
      'Va muy lento y se congela',
    ],
    de: [
      'Die App stürzt beim Start ab',
      'Nach der Aktualisierung bleibt der Bildschirm schwarz',
      'Beim Speichern kommt eine Fehlermeldung',
      'Das Gerät verbindet sich nicht mit dem WLAN',
      'Alles ist sehr langsam und friert ein',
    ],
    zh: [
      '应用一打开就闪退',
      '更新以后黑屏了',
      '保存的时候报错',
      '连不上无线网',
      '系统很慢老是卡死',
    ],
  },
  sales: {
    en: [
      'How much does the large model cost?',
      'Is there a discount for schools?',
      'Do you have it in stock in blue?',
      'Could you send us a quote for fifty licences?',
      'What is the difference between the two plans?',
    ],
    ru: [
      'Сколько стоит большая модель?',
      'Есть ли скидка для студентов?',
      'Есть в наличии в синем цвете?',
      'Пришлите предложение на пятьдесят лицензий',
      'Чем отличаются тарифы?',
    ],
    es: [
      '¿Cuánto cuesta el modelo grande?',
      '¿Hay descuento para estudiantes?',
      '¿Lo tienen en stock en azul?',
      'Necesitamos un presupuesto para cincuenta unidades',
      '¿Qué diferencia hay entre los planes?',
    ],
    de: [
      'Was kostet das große Modell?',
      'Gibt es Rabatt für Schulen?',
      'Haben Sie das in Blau auf Lager?',
      'Wir brauchen ein Angebot über fünfzig Lizenzen',
      'Worin unterscheiden sich die Tarife?',
    ],
    zh: [
      '大号的多少钱',
      '学生有折扣吗',
      '蓝色的有货吗',
      '请给我们五十套的报价',
      '两个套餐有什么区别',
    ],
  },
  jobs: {
    en: [
      'Are you hiring developers at the moment?',
      'I sent my CV last week and heard nothing',
      'When will the interview take place?',
      'Is an internship possible in summer?',
      'What salary do you offer for this position, is remote work fine?',
    ],
    ru: [
      'У вас есть открытые вакансии?',
      'Я отправил резюме на прошлой неделе',
      'Когда будет собеседование?',
      'Можно ли пройти стажировку летом?',
      'Какая зарплата и есть ли удалённая работа?',
    ],
    es: [
      '¿Están contratando programadores?',
      'Envié mi currículum la semana pasada',
      '¿Cuándo será la entrevista?',
      '¿Se pueden hacer prácticas en verano?',
      '¿Qué salario tiene el puesto y hay trabajo remoto?',
    ],
    de: [
      'Stellen Sie gerade Entwickler ein? Ich suche eine Stelle',
      'Ich habe letzte Woche meinen Lebenslauf geschickt',
      'Wann findet das Vorstellungsgespräch statt?',
      'Kann man im Sommer ein Praktikum machen?',
      'Wie hoch ist das Gehalt und geht Homeoffice?',
    ],
    zh: [
      '你们现在招聘程序员吗',
      '我上周投了简历',
      '面试是什么时候',
      '夏天可以实习吗',
      '这个职位工资多少',
    ],
  },
  bookings: {
    en: [
      'I would like to book a table for four',
      'Can I reschedule my appointment?',
      'Please cancel my reservation for Friday',
      'Do you have any free slots next week?',
      'What are your opening hours on Sunday?',
    ],
    ru: [
      'Хочу забронировать столик на четверых',
      'Можно перенести запись?',
      'Отмените мою бронь на пятницу',
      'Есть свободное время на следующей неделе?',
      'Какие у вас часы работы в воскресенье?',
    ],
    es: [
      'Quiero reservar una mesa para cuatro',
      '¿Puedo cambiar la hora de mi cita?',
      'Cancelen mi reserva del viernes',
      '¿Tienen algún hueco libre la semana que viene?',
      '¿Qué horario tienen el domingo?',
    ],
    de: [
      'Ich möchte einen Tisch für vier reservieren',
      'Kann ich meinen Termin verschieben?',
      'Bitte die Reservierung am Freitag absagen',
      'Haben Sie nächste Woche freie Zeiten?',
      'Wie sind die Öffnungszeiten am Sonntag?',
    ],
    zh: [
      '我想订位四个人',
      '可以改时间吗我的预约',
      '请取消预约星期五的',
      '下周有空位吗',
      '周日营业时间是几点',
    ],
  },
  accounts: {
    en: [
      'I forgot my password',
      'The verification code never arrives',
      'Someone hacked my account',
      'How do I change the email of my profile?',
      'Please delete my account and all data',
    ],
    ru: [
      'Я забыл пароль',
      'Код подтверждения не приходит',
      'Мой аккаунт взломали',
      'Как сменить почту в профиле?',
      'Удалите мою учётную запись',
    ],
    es: [
      'He olvidado mi contraseña',
      'No me llega el código de verificación',
      'Alguien ha hackeado mi cuenta',
      '¿Cómo cambio el correo de mi perfil?',
      'Quiero eliminar mi cuenta',
    ],
    de: [
      'Ich habe mein Passwort vergessen',
      'Der Bestätigungscode kommt nicht an',
      'Jemand hat mein Konto gehackt',
      'Wie ändere ich die E-Mail in meinem Profil?',
      'Bitte löschen Sie mein Konto',
    ],
    zh: ['我忘记密码了', '收不到验证码', '我的账号被盗了', '怎么更换邮箱', '我要注销账户'],
  },
  events: {
    en: [
      'Where can I buy a ticket for the conference?',
      'Will there be a recording of the talk?',
      'Who is the speaker at the workshop tonight?',
      'I would like to join the community meetup',
      'Is the schedule of the event online?',
    ],
    ru: [
      'Где купить билет на конференцию?',
      'Будет ли запись выступления?',
      'Кто докладчик на вебинаре?',
      'Хочу прийти на встречу сообщества',
      'Где посмотреть программу мероприятия?',
    ],
    es: [
      '¿Dónde compro la entrada para la conferencia?',
      '¿Habrá grabación de la charla?',
      '¿Quién es el ponente del taller?',
      'Me gustaría unirme a la comunidad y al encuentro',
      '¿Dónde está el programa del evento?',
    ],
    de: [
      'Wo bekomme ich eine Eintrittskarte für die Konferenz?',
      'Gibt es eine Aufzeichnung des Vortrags?',
      'Wer ist Referent beim Workshop?',
      'Ich möchte zum Treffen der Gemeinschaft kommen',
      'Wo finde ich das Programm der Veranstaltung?',
    ],
    zh: [
      '会议门票在哪里买',
      '讲座有录像吗',
      '研讨会的讲师是谁',
      '我想参加社区聚会',
      '活动日程在哪里看',
    ],
  },
};
