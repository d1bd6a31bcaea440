"""What to cite: the papers behind the methods that a report used."""

from collections.abc import Iterable

from beatpath.methods.registry import METHODS

VASE = 'M. Lanctot et al., "Evaluating agents using social choice theory", 2023, arXiv:2312.03121.'
SCO = 'M. Lanctot et al., "Soft Condorcet Optimization for ranking of general agents", 2024, arXiv:2411.00119.'
WSCO = 'S. Koivula, "Weighted Soft Condorcet Optimization", Games, Agents, and Incentives Workshop, 2026.'
STE = 'S. Alqithami, "Soft Tournament Equilibrium", 2026, arXiv:2604.04328.'

PAPERS: dict[str, tuple[str, ...]] = {
    "plurality": (VASE,),
    "approval": (VASE,),
    "borda": (
        VASE,
        'J.-C. de Borda, "Mémoire sur les élections au scrutin", Histoire de l\'Académie Royale des Sciences (1781).',
    ),
    "black": ("D. Black, The Theory of Committees and Elections, Cambridge University Press (1958).",),
    "nanson": (
        (
            'E. J. Nanson, "Methods of election", Transactions and Proceedings of the Royal Society of Victoria 19 (1882), '
            "197-240."
        ),
    ),
    "baldwin": (
        (
            'J. M. Baldwin, "The technique of the Nanson preferential majority system of election", Proceedings of the Royal '
            "Society of Victoria 39 (1926), 42-52."
        ),
    ),
    "coombs": ("C. H. Coombs, A Theory of Data, Wiley (1964).",),
    "tideman_alternative": ("N. Tideman, Collective Decisions and Voting, Ashgate (2006).",),
    "bucklin": ("C. G. Hoag, G. H. Hallett, Proportional Representation, Macmillan (1926).",),
    "majority_judgment": (
        'M. Balinski, R. Laraki, "A theory of measuring, electing, and ranking", PNAS 104 (2007), 8720-8725.',
    ),
    "river": (
        'J. Heitzig, "River method: a new tournament-like Condorcet method", Election-Methods mailing list (2004).',
        'M. Döring, M. Brill, J. Heitzig, "The River method", AAMAS 2025.',
    ),
    "stable_voting": (
        'W. H. Holliday, E. Pacuit, "Stable Voting", Constitutional Political Economy 34 (2023), 421-433.',
    ),
    "stv": (VASE,),
    "copeland": (
        VASE,
        "A. H. Copeland, \"A 'reasonable' social welfare function\", seminar notes, University of Michigan (1951).",
    ),
    "minimax": (
        'P. B. Simpson, "On defining areas of voter choice", Quarterly Journal of Economics 83 (1969), 478-490.',
        'G. H. Kramer, "A dynamical model of political equilibrium", Journal of Economic Theory 16 (1977), 310-334.',
    ),
    "schulze": (
        VASE,
        (
            'M. Schulze, "A new monotonic, clone-independent, reversal symmetric, and Condorcet-consistent single-winner '
            'election method", Social Choice and Welfare 36 (2011), 267-303.'
        ),
    ),
    "ranked_pairs": (
        VASE,
        (
            'T. N. Tideman, "Independence of clones as a criterion for voting rules", Social Choice and Welfare 4 (1987), '
            "185-206."
        ),
    ),
    "split_cycle": (
        (
            'W. H. Holliday, E. Pacuit, "Split Cycle: a new Condorcet-consistent voting method independent of clones and '
            'immune to spoilers", Public Choice 197 (2023), 1-62.'
        ),
    ),
    "kemeny": (
        VASE,
        'J. G. Kemeny, "Mathematics without numbers", Daedalus 88 (1959), 577-591.',
        'H. P. Young, "Condorcet\'s theory of voting", American Political Science Review 82 (1988), 1231-1244.',
    ),
    "maximal_lottery": (
        VASE,
        (
            'P. C. Fishburn, "Probabilistic social choice based on simple voting comparisons", Review of Economic Studies 51 '
            "(1984), 683-692."
        ),
        'F. Brandl, F. Brandt, H. G. Seedig, "Consistent probabilistic social choice", Econometrica 84 (2016), 1839-1880.',
    ),
    "iml": (VASE,),
    "nash_averaging": ('D. Balduzzi et al., "Re-evaluating evaluation", NeurIPS 2018, arXiv:1806.02643.',),
    "payoff_ratings": (
        'L. Marris et al., "Game theoretic rating in n-player general-sum games with equilibria", 2022, arXiv:2210.02205.',
    ),
    "deviation_ratings": (
        'L. Marris et al., "Deviation ratings: a general, clone-invariant rating method", 2025, arXiv:2502.11645.',
    ),
    "alpha_rank": (
        'S. Omidshafiei et al., "alpha-Rank: multi-agent evaluation by evolution", Scientific Reports 9 (2019), 9937.',
    ),
    "whole_history": (
        (
            'R. Coulom, "Whole-history rating: a Bayesian rating system for players of time-varying strength", Computers and '
            "Games (2008), 113-124."
        ),
    ),
    "glicko2": (
        (
            'M. E. Glickman, "Dynamic paired comparison models with stochastic variances", Journal of Applied Statistics 28 '
            "(2001), 673-689."
        ),
    ),
    "weng_lin": (
        (
            'R. C. Weng, C.-J. Lin, "A Bayesian approximation method for online ranking", Journal of Machine Learning '
            "Research 12 (2011), 267-300."
        ),
    ),
    "elo": ("A. E. Elo, The Rating of Chessplayers, Past and Present, Arco (1978).",),
    "rank_centrality": (
        (
            'S. Negahban, S. Oh, D. Shah, "Rank centrality: ranking from pairwise comparisons", Operations Research 65 '
            "(2017), 266-287."
        ),
    ),
    "pagerank": (
        (
            'S. Brin, L. Page, "The anatomy of a large-scale hypertextual web search engine", Computer Networks 30 (1998), '
            "107-117."
        ),
    ),
    "eigenvector_centrality": (
        'J. P. Keener, "The Perron-Frobenius theorem and the ranking of football teams", SIAM Review 35 (1993), 80-93.',
    ),
    "thurstone": (
        'L. L. Thurstone, "A law of comparative judgment", Psychological Review 34 (1927), 273-286.',
        'F. Mosteller, "Remarks on the method of paired comparisons: I", Psychometrika 16 (1951), 3-9.',
    ),
    "bradley_terry_posterior": (
        (
            'N. G. Polson, J. G. Scott, J. Windle, "Bayesian inference for logistic models using Pólya-Gamma latent variables", '
            "Journal of the American Statistical Association 108 (2013), 1339-1349."
        ),
    ),
    "bradley_terry_firth": (
        'D. Firth, "Bias reduction of maximum likelihood estimates", Biometrika 80 (1993), 27-38.',
    ),
    "bradley_terry_structured": (
        (
            'A. Springall, "Response surface fitting using a generalization of the Bradley-Terry paired comparison model", '
            "Journal of the Royal Statistical Society C 22 (1973), 59-68."
        ),
        (
            'H. Turner, D. Firth, "Bradley-Terry models in R: the BradleyTerry2 package", Journal of Statistical Software '
            "48(9) (2012)."
        ),
    ),
    "bradley_terry_judged": (
        (
            'X. Chen, P. N. Bennett, K. Collins-Thompson, E. Horvitz, "Pairwise ranking aggregation in a crowdsourced setting", '
            "WSDM (2013), 193-202."
        ),
        (
            'A. P. Dawid, A. M. Skene, "Maximum likelihood estimation of observer error-rates using the EM algorithm", Applied '
            "Statistics 28 (1979), 20-28."
        ),
    ),
    "hodge_rank": (
        (
            'X. Jiang, L.-H. Lim, Y. Yao, Y. Ye, "Statistical ranking and combinatorial Hodge theory", Mathematical '
            "Programming 127 (2011), 203-244."
        ),
    ),
    "bradley_terry": (
        (
            'R. A. Bradley, M. E. Terry, "Rank analysis of incomplete block designs: I. The method of paired comparisons", '
            "Biometrika 39 (1952), 324-345."
        ),
    ),
    "plackett_luce": (
        "R. D. Luce, Individual Choice Behavior, Wiley (1959).",
        'R. L. Plackett, "The analysis of permutations", Applied Statistics 24 (1975), 193-202.',
    ),
    "sco": (SCO,),
    "wsco": (WSCO, SCO),
    "core": (
        STE,
        'J. H. Smith, "Aggregation of preferences with variable electorate", Econometrica 41 (1973), 1027-1041.',
        (
            'N. R. Miller, "A new solution set for tournaments and majority voting", American Journal of Political Science 24 '
            "(1980), 68-96."
        ),
    ),
    "resolution": (
        (
            'M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm, "Inference for ranks with applications to mobility across '
            'neighbourhoods and academic achievement across countries", Review of Economic Studies 91 (2024), 476-518.'
        ),
        (
            'A. C. Cameron, J. B. Gelbach, D. L. Miller, "Robust inference with multiway clustering", Journal of Business & '
            "Economic Statistics 29 (2011), 238-249."
        ),
    ),
}


def citations(used: Iterable[str]) -> tuple[str, ...]:
    """Return the papers behind methods, each once, in the order of the methods.

    Parameters
    ----------
    used : iterable of str
        Keys of methods, "core" for cores, "resolution" for sets of ranks.

    Examples
    --------
    >>> citations(["sco", "wsco", "sco"]) == (SCO, WSCO)
    True
    """
    return tuple(dict.fromkeys(paper for key in used for paper in PAPERS.get(key, ())))


def definition(key: str) -> str:
    """Return what a method does, as a sentence.

    >>> definition("copeland")
    'Counts the rivals an agent beats head to head, ties half.'
    """
    said = METHODS[key].sentence
    return f"{said[0].upper()}{said[1:]}."
