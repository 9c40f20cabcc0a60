import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Watch workers die","description":"","frontmatter":{},"headers":[],"relativePath":"tutorial/npm-start.md","filePath":"tutorial/npm-start.md"}');
const _sfc_main = { name: "tutorial/npm-start.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="watch-workers-die" tabindex="-1">Watch workers die <a class="header-anchor" href="#watch-workers-die" aria-label="Permalink to &quot;Watch workers die&quot;">​</a></h1><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">npm</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> ci</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> &amp;&amp; </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">npm</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> start</span></span></code></pre></div><p>Run this in a copy of the repository. It needs Java 17 for DynamoDB Local, and no AWS account. <code>npm ci</code> installs Node 24, and npm runs its scripts on it. With an older Node on the machine, <code>npm ci</code> warns of it (<code>EBADENGINE</code>) some hundred times, and changes nothing.</p><p><code>npm start</code> is a <a href="./../reference/glossary.html#rehearsal">rehearsal</a>: the app runs on this machine, with AWS&#39;s own clients, an SQS server and DynamoDB Local. It sends orders twice, makes SQS deliver again, and kills workers before, during and after the effect. Then it counts the effects at the providers and compares them with the orders:</p><div class="language- vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang"></span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span>Troubles</span></span>
<span class="line"><span>  sandboxes           50   started, each a process of its own</span></span>
<span class="line"><span>  killed              34   of them, with SIGKILL: before, during or after the effect, or while it was recorded</span></span>
<span class="line"><span>  timed out            0   of them, and were killed by the Lambda stand-in</span></span>
<span class="line"><span>  provider faults     54   calls that failed, hung, or got a late response</span></span>
<span class="line"><span>  queue outages       14   payments whose message the queue refused at first, or took with the response lost</span></span>
<span class="line"><span>  store faults       496   48 statements throttled, 392 keys left unread, 56 responses lost</span></span>
<span class="line"><span></span></span>
<span class="line"><span>Effects           orders    done  doubled   parked  set aside  never run     lost</span></span>
<span class="line"><span>  emails             300     281        0       34          0          0        0</span></span>
<span class="line"><span>  gift cards         300     300        0        0          0          0        0</span></span></code></pre></div><p>A parked email was sent once or not at all, so some emails count as both <em>done</em> and <em>parked</em>. In this report, <em>set aside</em> counts messages in the dead-letter queue that are neither done nor parked. <em>Never run</em> counts those of them that were never tried. The report also compares the ledger with the payment processor&#39;s statements, and the debts with the repayments.</p><table tabindex="0"><thead><tr><th>option</th><th>effect</th></tr></thead><tbody><tr><td><code>--unprotected</code></td><td>the same traffic without pawl, to see what that costs</td></tr><tr><td><code>--retry</code></td><td>all consumers under <code>&#39;retry&#39;</code>: emails may double, because their provider has no effect keys</td></tr><tr><td><code>--fifo</code></td><td>300 changes of 40 accounts through a FIFO queue; counts changes that ran out of order, or were dead-lettered without a try</td></tr><tr><td><code>--help</code></td><td>all options: <code>--orders</code>, <code>--payments</code>, <code>--repayments</code>, <code>--kill</code>, <code>--seed</code>, <code>--json</code> …</td></tr></tbody></table><p><code>npm start -- --console</code> serves <a href="./../guides/console.html">the console</a> meanwhile. There you see deliveries against effects, each fault on a line of time, and what is parked, and settle it.</p><p>The <a href="./../reference/glossary.html">glossary</a> explains the terms. <a href="./../explanation/proof.html">How it is proven</a> lists the larger runs.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("tutorial/npm-start.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const npmStart = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  npmStart as default
};
