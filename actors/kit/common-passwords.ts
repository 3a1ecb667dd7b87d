/**
 * Passwords that attackers try first: the most frequent ones of published leaks with eight characters or more, and those without
 * any secret. Which these are is a fact that many lists agree on; NIST SP 800-63B §3.1.1.2 asks for such a list, and for no other rule.
 */

import { brotliDecompressSync } from 'node:zlib';
import { PACKED_PASSWORDS } from './common-password-list.ts';

/** Lower case; shorter ones are refused by their length. Those that operators and Skep's own pages suggest are here, those of leaks in the list beside. */
const COMMON: ReadonlySet<string> = new Set(
  `
  password password0 password00 password01 password1 password10 password11 password12 password123 password1234 password12345
  password123456 password2 password21 password22 password3 password4 password5 password6 password69 password7 password77 password8
  password88 password9 password99 password! password1! password12! password123! password@1 password@12 password@123 password# password_1
  passw0rd passw0rd1 passw0rd! passw0rd123 p@ssword p@ssword1 p@ssword12 p@ssword123 p@ssword! p@ssw0rd p@ssw0rd1 p@ssw0rd12
  p@ssw0rd123 p@ssw0rd1234 p@ssw0rd! p@$$word p@$$w0rd p@$$w0rd1 pa$$word pa$$word1 pa$$w0rd pa$$w0rd1 pa55word pa55word1 pa55w0rd
  pas$word passpass passpass1 passport passcode passphrase mypassword mypassword1 newpassword newpassword1 oldpassword
  thepassword userpassword adminpassword admin@123 admin@1234 admin123 admin1234 admin12345 admin123456 admin123! adminadmin
  admin2020 admin2021 admin2022 admin2023 admin2024 admin2025 admin2026 administrator administrator1 root1234 root12345 rootroot rootpass
  toor1234 testtest test1234 test12345 test123456 test@123 testing1 testing123 tester123 test123! demo1234 demodemo guest123 guest1234
  user1234 user12345 useruser username username1 default1 default123 changeme changeme1 changeme123 changeme! changeit changethis
  letmein1 letmein12 letmein123 letmein! letmeinnow welcome1 welcome2 welcome12 welcome123 welcome1234 welcome1! welcome123! welcome@1
  welcome@123 welcomehome temp1234 temppass temporary temporary1 secret12 secret123 secret1234 secretsecret supersecret topsecret
  login123 login1234 loginlogin access12 access123 access14 master12 master123 masterkey manager1 manager123 system123 server123
  security security1 security123 private1 qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwerty123! qwerty1! qwertyui qwertyuio
  qwertyuiop qwertyuiop1 qwertyuiop123 qwertyuiop[] qwertyqwerty qwerty11 qwerty21 qwerty22 qwerty69 qwerty77 qwerty99 qwertz123
  qwertzui qwertzuiop azerty12 azerty123 azertyui azertyuiop asdfghjk asdfghjkl asdfghjkl1 asdfghjkl; asdfasdf asdf1234 asdfqwer asdf123456
  asdasdasd asd12345 asdzxc123 zxcvbnm1 zxcvbnm12 zxcvbnm123 zxcvbnm, zxcvbnm,. zxcvbnm,./ zxcvzxcv zxcv1234 zxcasdqwe qweasdzxc qweasd123
  qweqweqwe qwe12345 qwe123456 qwe123qwe qweasdzx qwer1234 qwerqwer qwerasdf qwerasdfzxcv qazwsxedc qazwsxedc1 qazwsxedc123 qazwsxedcrfv
  qazxsw21 qazwsx12 qazwsx123 qaz123wsx qaz12345 wsxedcrfv 1qaz2wsx 1qaz2wsx3edc 1qaz2wsx3edc4rfv 1qaz!qaz 1qazxsw2 1qaz@wsx !qaz2wsx !qaz@wsx
  2wsx3edc 3edc4rfv zaq12wsx zaq1xsw2 zaq1zaq1 zaq!2wsx 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1q2w3e4r! 1q2w3e4r5 q1w2e3r4 q1w2e3r4t5
  q1w2e3r4t5y6 1qw23er4 12qwaszx 12qw34er 123qweasd 123qweasdzxc 123qwe123 123qwe456 123qwerty 1234qwer 12345qwert 1234asdf asdf4321
  qwer4321 4rfv5tgb 5tgb6yhn 1a2b3c4d 1a2s3d4f a1b2c3d4 a1b2c3d4e5 a1s2d3f4 a1234567 a12345678 a123456789 aa123456 aa12345678
  aaa12345 ab123456 abc12345 abc123456 abc1234567 abc123abc abcd1234 abcd12345 abcd123456 abcabcabc abcdabcd abcdefg1 abcdefg123
  abcdef12 abcdef123 abcde12345 a123123123 as123456 q1234567 q12345678 q123456789 qq123456 qq12345678 w1234567 x12345678 z12345678
  z123456789 zz123456 zxc12345 zxc123456 123abc123 123456aa 123456ab 123456abc 123456as 123456qw 123456qwe 123456qwerty 1234567a
  12345678a 123456789a 123456789q 1234567q 12345678q 1234567890q 1234567890a 12341234 123412345 12344321 12345612 12345654321
  1234554321 1234512345 123454321 1234567891 12345678910 123456789123 12345678901 123456781 12345679 123457890 123456123 123456123456
  123456654321 123123123 1231231234 123123123123 12312312 123321123 123321123321 12332112 123456qq 1232323q 123698745 123654789
  123789456 147258369 147852369 14789632 147896325 159357456 159753456 159753258 741852963 789456123 789456321 963852741 987456321
  741258963 456789123 456123789 321654987 258456258 135792468 13579246 1357924680 246813579 24681012 1029384756 1122334455 11223344
  112233445566 121212121 12121212 1212121212 123412341234 13131313 131313131 10101010 1010101010 20202020 21212121 23232323 25252525
  31313131 32323232 34343434 45454545 54545454 56565656 65656565 69696969 67676767 78787878 87878787 90909090 98989898 11112222
  11110000 11111112 111111112 111222333 11223300 112112112 100000000 123000000 000000001 11235813 31415926 314159265 27182818 12481632
  01234567890 0123456789a 01020304 0102030405 01230123 00001111 19841984 20002000 12345abc 12345abcde 54321qwert 87654321a 987654321a
  iloveyou iloveyou1 iloveyou2 iloveyou! iloveyou12 iloveyou123 iloveu12 iloveu123 ilovegod iloveme1 iloveme2 ilovehim iloveher iloveyou3
  iloveyou7 ilovejesus ilovemyself ilovemom loveyou1 loveyou123 lovelove lovely12 lovely123 lovelife loveme12 loveme123 lover123
  loverboy lovergirl sunshine sunshine1 sunshine12 sunshine123 princess princess1 princess12 princess123 football football1 football12 football123
  baseball baseball1 baseball12 baseball123 basketball basketball1 softball softball1 volleyball hockey12 superman superman1
  superman12 superman123 batman12 batman123 spiderman spiderman1 pokemon1 pokemon12 pokemon123 starwars starwars1 starwars123
  startrek startrek1 trustno1 trustno11 whatever whatever1 whatever! computer computer1 computer12 computer123 internet internet1 michelle michelle1
  jennifer jennifer1 jessica1 jessica12 jordan23 jordan123 michael1 michael12 michael123 charlie1 charlie12 charlie123 daniel12 daniel123
  ashley12 ashley123 anthony1 andrew12 andrew123 thomas12 thomas123 robert12 robert123 william1 joshua12 joshua123 matthew1 nicholas
  nicholas1 elizabeth elizabeth1 samantha samantha1 victoria victoria1 alexander alexander1 alexandra alexandra1 benjamin
  benjamin1 jonathan jonathan1 christian christian1 christopher stephanie stephanie1 patricia patrick1 katherine caroline catherine
  danielle danielle1 gabriel1 isabella isabella1 valentina valentin francesco alejandro alejandra fernando cristina veronica
  carolina margarita angelica dragon12 dragon123 monkey12 monkey123 shadow12 shadow123 killer12 killer123 master01 hunter12 hunter123
  tigger12 tigger123 buster12 ginger12 pepper12 pepper123 cookie12 cookie123 banana12 banana123 orange12 orange123 cheese12 chocolate
  chocolate1 chocolate123 butterfly butterfly1 strawberry blueberry cinnamon midnight midnight1 mustang1 corvette mercedes mercedes1
  liverpool liverpool1 liverpool123 arsenal1 arsenal123 chelsea1 chelsea12 chelsea123 barcelona barcelona1 realmadrid juventus manchester
  manutd123 steelers steelers1 cowboys1 yankees1 lakers24 redsox04 patriots eagles12 marlboro marlboro1 metallica metallica1 slipknot
  slipknot1 nirvana1 blink182 greenday greenday1 linkinpark eminem12 eminem123 rockstar rockstar1 playboy1 bigdaddy hello123 hello1234
  hello12345 hellohello hellokitty helloworld helloworld1 goodluck goodbye1 godisgood godbless jesus123 jesuschrist jesus777 blessed1
  blessing heaven12 heavenly angel123 angels12 angelica1 babygirl babygirl1 babygirl12 babygirl123 babyboy1 beautiful beautiful1 gorgeous
  cutie123 sweetheart sweetie1 honey123 flower12 flower123 rainbow1 rainbow12 rainbow123 diamond1 diamond123 crystal1 precious
  purple12 purple123 yellow12 yellow123 silver12 silver123 golden12 black123 blue1234 red12345 green123 freedom1 freedom12 freedom123
  america1 california jamaica1 newyork1 newyork123 london12 london123 australia scotland ireland1 germany1 brazil12 mexico12 mexico123
  pakistan indonesia malaysia bangladesh philippines monday12 summer01 summer12 summer123 summer99 summer2020 summer2021 summer2022
  summer2023 summer2024 summer2025 summer2026 summer20 summer21 summer22 summer23 summer24 summer25 winter12 winter123 winter2020 winter2021 winter2022
  winter2023 winter2024 winter2025 winter2026 spring12 spring123 spring2020 spring2021 spring2022 spring2023 spring2024 spring2025
  spring2026 autumn12 autumn2020 autumn2021 autumn2022 autumn2023 autumn2024 autumn2025 autumn2026 january1 february september
  september1 november november1 december december1 october1 birthday birthday1 christmas christmas1 company1 company123 business
  business1 samsung1 samsung12 samsung123 google12 google123 facebook facebook1 facebook123 instagram microsoft minecraft minecraft1
  minecraft123 fortnite fortnite1 roblox12 roblox123 playstation nintendo gamer123 gameover counterstrike warcraft starcraft dragonball
  naruto12 naruto123 pikachu1 mickey12 snoopy12 garfield garfield1 scoobydoo snowball snowball1 snowflake tinkerbell tinkerbell1 stargate
  einstein pumpkin1 peanut12 peaches1 penguin1 dolphin1 dolphins elephant scorpion scorpion1 hurricane thunder1 lightning mountain
  sunflower sunflower1 lavender bluebird blackcat redskins gangster gangsta1 ghetto12 nothing1 something nopassword nopass123 idontknow
  whocares dontknow forgetit fuckyou1 fuckyou2 fuckyou! fuckyou12 fuckyou123 fuckoff1 fuckoff! bullshit bullshit1 asshole1 bitch123
  pussy123 sexy1234 sexygirl boobies1 hotmail1 hotmail123 yahoo123 gmail123 mynoob123 1password 1passwort passwort passwort1
  passwort123 kennwort geheim123 hallo123 hallo1234 hallohallo schalke04 willkommen willkommen1 motdepasse motdepasse1 bonjour1 bonjour123
  doudou12 soleil12 chouchou loulou12 contrasena contraseña contrasena1 contrasena123 tequiero teamo123 estrella mariposa corazon1
  chocolate12 senha123 senha1234 senha12345 brasil123 flamengo corinthians palmeiras parol123 parola12 parola123 haslo123 qwerty1q
  zaq12wsxcde3 wachtwoord wachtwoord1 welkom01 welkom123 lozinka1 heslo123 salasana salasana1 sifre123 galatasaray fenerbahce besiktas
  woaini1314 woaini520 woaini123 5201314520 5201314a 5845201314 1314520520 1314521521 a5201314 wang1234 li123456 correcthorse
  correcthorsebatterystaple hunter22 hunter2hunter2 swordfish swordfish1 opensesame abracadabra trustme1 noaccess nosecret mustchange
  pass1234 pass12345 pass123456 pass@123 pass@1234 pass@word pass@word1 pass1word pass123! passwd123 passwd12 pass4word pwd12345 pwd123456
  oracle123 mysql123 postgres postgres1 postgres123 mongodb1 redis123 jenkins1 docker123 kubernetes raspberry ubuntu123 cisco123
  vagrant1 tomcat123 apache123 grafana1 sysadmin sysadmin1 superuser superuser1 superadmin superadmin1 operator1 support1 support123
  service1 backup123 public123 network1 database database1 helpdesk developer
  `
    .trim()
    .split(/\s+/),
);

/** Whether a password is one of the most common ones, whatever its case and the spaces around it, or nothing but a repeated or counted character. */
export function isCommonPassword(password: string): boolean {
  const plain = password.trim().toLowerCase();
  return COMMON.has(plain) || isRun(plain) || isListed(plain);
}

/** The words of the list, each between line ends; null until a thread judges its first password. One text takes a tenth of the memory of a set. */
let listed: string | null = null;

/** A search through the whole text takes some 0.05 ms: a password that passes costs a thousand times as much to hash. */
function isListed(plain: string): boolean {
  listed ??= `\n${brotliDecompressSync(Buffer.from(PACKED_PASSWORDS, 'base64')).toString('latin1')}\n`;
  return !plain.includes('\n') && listed.includes(`\n${plain}\n`);
}

/** Nothing at all, one character again and again, or characters that only count up or down, digits from 9 on with 0: `12345678`, `hgfedcba`, `7890123`. */
function isRun(text: string): boolean {
  if (text === '') return true;
  return [0, 1, -1].some((step) => {
    for (let at = 1; at < text.length; at++)
      if (!follows(text.charCodeAt(at - 1), text.charCodeAt(at), step)) return false;
    return true;
  });
}

const ZERO = 48;
const NINE = 57;

function follows(before: number, after: number, step: number): boolean {
  if (after - before === step) return true;
  return (step === 1 && before === NINE && after === ZERO) || (step === -1 && before === ZERO && after === NINE);
}
